// error: cannot convert value of type '@concurrent @Sendable () async throws -> [Repo]'
import StreamQuery

let users: Query<[User]> = Query([User].self) { try await api.repos(of: 1) }
