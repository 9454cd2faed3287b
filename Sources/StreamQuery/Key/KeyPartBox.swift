/// A value of a type that does not have its own case.
protocol KeyPartBox: AnyObject, Sendable {
  /// The value, for texts only.
  var value: any Hashable { get }

  /// Returns whether the other box holds an equal value of the same type.
  func isEqual(to other: any KeyPartBox) -> Bool

  /// Feeds the value and its type to the hasher.
  func hash(into hasher: inout Hasher)

  /// How the value compares to another box's; `nil` if values of the type have no order.
  func order(to other: any KeyPartBox) -> KeyOrder?
}
