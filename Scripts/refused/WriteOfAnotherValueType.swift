// error: cannot convert value of type 'String' to expected argument type '[User]'
import StreamQuery

func write(_ client: QueryClient) {
  client.setData("Ada", for: .users)
}
