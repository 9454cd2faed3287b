// error: conform to 'Hashable'
import StreamQuery

struct Page { var number = 1 }

let key = QueryKey<User>("users", Page())
