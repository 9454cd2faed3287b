// error: 'Model' does not conform to the 'Sendable' protocol
import StreamQuery

final class Model { var name = "" }

let models = Query("models") { Model() }
