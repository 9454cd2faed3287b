// warning: write the parts without brackets, or the bare literal
import StreamQuery

let key = QueryKey<User>(["user", "42"])
