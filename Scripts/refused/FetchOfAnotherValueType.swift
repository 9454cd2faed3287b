// error: cannot convert
import StreamQuery

let users = Query(key: QueryKey<[User]>.users) { try await api.user(1) }
