/// Data that was there before the entry: initial data of a query, or what is kept beyond the cache.
package struct KeptData {
  package var box: ValueBox
  /// When it was current, in seconds since the reference date; `nil` means now.
  package var updatedAt: Double?
  /// Whether it was invalidated before it was kept.
  package var isInvalidated = false
  /// Whether it is a part of a streamed value.
  package var isPart = false
}
