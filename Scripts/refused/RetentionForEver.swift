// error: .hours(1_000_000) is for ever
import StreamQuery

let users = Query("users") { try await api.users() }.gcTime(.infinity)
