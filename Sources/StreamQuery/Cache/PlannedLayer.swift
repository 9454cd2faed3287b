/// A layer that is about to be laid.
struct PlannedLayer: Sendable {
  var layer: OptimisticLayer
  /// How long an entry is kept that has to be made for it.
  var gcTime: Span
}
