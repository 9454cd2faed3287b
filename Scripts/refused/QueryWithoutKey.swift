// error: name what is fetched: Query("users") { … }
import StreamQuery

let users = Query<[User]> { try await api.users() }
