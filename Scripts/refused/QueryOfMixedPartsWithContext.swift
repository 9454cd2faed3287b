// error: write the parts without brackets: Query("user", 42) { … }
import StreamQuery

let user = Query(["user", 42]) { context in try await api.user(42) }
