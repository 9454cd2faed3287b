// error: cannot convert value of type '@concurrent @Sendable (FetchContext) async throws -> [Repo]'
import StreamQuery

let users: Query<[User]> = Query("users") { _ in try await api.repos(of: 1) }
