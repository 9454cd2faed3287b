// error: name the type of the values: entries(of: User.self)
import StreamQuery

func count(_ client: QueryClient) -> Int { client.entries().count }
