// error: call to actor-isolated instance method
import StreamQuery

extension QueryClient {
  func seed(_ user: User) { setData(user, for: .user(user.id)) }
}

func seed(_ client: QueryClient) { client.seed(.ada) }
