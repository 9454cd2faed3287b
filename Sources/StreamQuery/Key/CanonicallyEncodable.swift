/// A type whose own `encode(to:)` would write it in the order of a hash table, or in a form that
/// differs for equal values.
protocol CanonicallyEncodable {
  /// Returns the text.
  func canonicalText(at place: KeyText.Place) throws -> String
}
