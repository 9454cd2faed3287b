/// A decoded entry on its way into the cache.
struct RestoredEntry: Sendable {
  var text: String
  var key: EntryKey
  var query: ResolvedQuery
  var box: ValueBox
  /// Seconds since the reference date.
  var updatedAt: Double
  var isInvalidated: Bool
  /// Whether it is a part of a streamed value.
  var isPart: Bool
  var error: ErrorBox?
  var errorUpdatedAt: Double
}
