// error: write the parts without brackets: Mutation("save", id) { … }
import StreamQuery

let rename = Mutation(["rename", 1]) { (name: String) in try await api.rename(1, to: name) }
