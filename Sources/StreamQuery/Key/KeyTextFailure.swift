/// What is wrong with a part, before its position is known.
struct KeyTextFailure: Error {
  var typeName: String
  var reason: KeyEncodingError.Reason

  static func tooDeep(typeName: String) -> Self {
    Self(typeName: typeName, reason: .tooDeep(limit: KeyNesting.text))
  }
}
