// warning: write the label: Query(key: key) { … }
import StreamQuery

let key = QueryKey<User>("user", 1)
let names = Query(key) { try await api.users().map(\.name) }
