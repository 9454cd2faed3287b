import Testing

/// Expects a value of a call that changes something, which `#expect` cannot hold.
func check<Value: Equatable>(
  _ value: Value,
  is expected: Value,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, sourceLocation: sourceLocation)
}
