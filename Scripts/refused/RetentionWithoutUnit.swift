// error: write the unit, such as .seconds(60)
import StreamQuery

let users = Query("users") { try await api.users() }.gcTime(60)
