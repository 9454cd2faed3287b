/// A layer that is about to be added.
package struct PlannedLayer: Sendable {
  var layer: OptimisticLayer
  /// The retention of an entry that has to be made for it.
  var gcTime: TimeSpan
}
