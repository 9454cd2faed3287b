extension Array {
  /// Takes all elements, which leaves it empty.
  mutating func takeAll() -> [Element] {
    defer { self = [] }
    return self
  }
}
