// error: cannot convert value of type 'Query<[Repo]>' to expected argument type 'Query<User>'
import StreamQuery
import StreamQueryUI

@MainActor func follow(_ user: ObservedQuery<User>) {
  user.update(query: Query<[Repo]>.repos(1))
}
