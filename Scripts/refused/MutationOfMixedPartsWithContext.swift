// error: write the parts without brackets: Mutation("save", id) { … }
import StreamQuery

let rename = Mutation(["rename", 1]) { (name: String, context) in
  try await api.rename(context.attempt, to: name)
}
