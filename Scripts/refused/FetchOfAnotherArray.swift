// error: cannot convert value of type '@concurrent @Sendable () async throws -> [Repo]'
import StreamQuery

let users: Query<[User]> = Query("users") { try await api.repos(of: 1) }
