/// How the answer of a fetch arrives.
package enum Delivery: Hashable, Sendable {
  /// At once.
  case whole
  /// In parts, which are shown, until it is whole.
  case parts
  /// In parts without an end: each of them is the answer until the next one arrives.
  case endless
}
