// error: write the parts without brackets: Query("user", 42) { … }
import StreamQuery

let user = Query(["user", 42]) { try await api.user(42) }
