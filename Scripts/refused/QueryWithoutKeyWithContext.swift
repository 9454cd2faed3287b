// error: name what is fetched: Query("users") { … }
import StreamQuery

let user = Query<User> { context in try await api.user(context.attempt) }
