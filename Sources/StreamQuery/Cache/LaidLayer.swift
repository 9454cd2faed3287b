/// A layer where it lies.
struct LaidLayer {
  let layer: OptimisticLayer
  /// The run that laid it.
  let job: MutationJob
  /// The newest fetch of the entry when the run succeeded; `nil` before.
  ///
  /// A newer one brings what replaces the layer.
  var keptSince: UInt32?
}
