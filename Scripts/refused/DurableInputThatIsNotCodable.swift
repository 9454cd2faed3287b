// error: the input is written to a store: make its type Codable
import StreamQuery
import StreamQueryPersistence

struct Draft: Sendable { var text: String }
let save = Mutation("save") { (input: Draft) in input.text }.durable()
