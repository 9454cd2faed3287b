/// How two keys compare, if that can be determined.
enum KeyOrder: Sendable {
  case before
  /// Neither comes before the other: they may be equal.
  case beside
  case after
}

extension KeyOrder {
  static func between<Value: Comparable>(_ one: Value, _ two: Value) -> KeyOrder {
    one < two ? .before : two < one ? .after : .beside
  }
}
