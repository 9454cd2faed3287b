// warning: write the parts without brackets: Mutation("save", id) { … }
import StreamQuery

let rename = Mutation(["rename", "user"]) { (name: String) in try await api.rename(1, to: name) }
