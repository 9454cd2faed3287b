// error: to expected argument type 'Query<ObservedQuery<User>.Stored>' (aka 'Query<User>')
import StreamQuery
import StreamQueryUI

@MainActor func follow(_ user: ObservedQuery<User>) {
  user.update(query: Query<[Repo]>.repos(1))
}
