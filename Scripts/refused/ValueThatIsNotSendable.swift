// error: 'Model' does not conform to the 'Sendable' protocol
// error: let 'models' is not concurrency-safe
import StreamQuery

final class Model { var name = "" }

let models = Query("models") { Model() }
