/// What the inputs of a mutation's runs say about their scopes, and of what each is a version.
struct InputGrouping: Sendable {
  /// The scope of a run; `nil` is none.
  var scope: (@Sendable (ValueBox) -> String?)?
  /// Of what a run is a version, as text; `nil` if it is a version of nothing.
  var pacingKey: (@Sendable (ValueBox) -> String?)?
}
