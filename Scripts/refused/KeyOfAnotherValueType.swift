// error: requires the types 'User' and '[User]' be equivalent
import StreamQuery

func read(_ client: QueryClient) {
  let key: QueryKey<User> = .users
  _ = client.data(for: key)
}
