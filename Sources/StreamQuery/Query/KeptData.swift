/// Data that was there before the entry: initial data of a query, or what is kept beyond the cache.
package struct KeptData {
  package var box: ValueBox
  /// When it was current, in seconds since the reference date; `nil` means now.
  package var updatedAt: Double?
  /// Whether it was invalidated before it was kept.
  var isInvalidated: Bool
  /// Whether it is a part of a streamed value.
  var isPart: Bool

  package init(
    box: ValueBox,
    updatedAt: Double? = nil,
    isInvalidated: Bool = false,
    isPart: Bool = false
  ) {
    (self.box, self.updatedAt) = (box, updatedAt)
    (self.isInvalidated, self.isPart) = (isInvalidated, isPart)
  }
}
