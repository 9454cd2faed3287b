extension Array {
  /// Takes all elements, which leaves it empty.
  package mutating func takeAll() -> [Element] {
    defer { self = [] }
    return self
  }
}
