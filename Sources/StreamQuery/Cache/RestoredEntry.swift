/// A decoded entry on its way into the cache; see ``QueryClient/restored(_:of:_:)``.
package struct RestoredEntry: Sendable {
  /// The type and the key as text.
  var text: String
  var key: EntryKey
  var query: StoredQuery
  /// How long its data counts as fresh.
  var freshness: Freshness
  var box: ValueBox
  /// Seconds since the reference date.
  var updatedAt: Double
  var isInvalidated: Bool
  /// Whether it is a part of a streamed value.
  var isPart: Bool
  var error: ErrorBox?
  var errorUpdatedAt: Double
}
