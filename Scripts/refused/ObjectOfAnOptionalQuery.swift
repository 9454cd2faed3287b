// error: unwrap the query, or observe one with .enabled(false) until the input is known
import StreamQuery
import StreamQueryUI

@MainActor func observe(_ query: Query<User>?, in client: QueryClient) -> ObservedQuery<User> {
  ObservedQuery(query, client: client)
}
