// error: name the value's type
import StreamQuery

func forget(_ client: QueryClient) { client.remove(.key("feed")) }
