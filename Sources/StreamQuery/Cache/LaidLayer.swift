/// A layer that lies over an entry's data.
struct LaidLayer {
  let layer: OptimisticLayer
  /// The run that added it.
  let job: MutationJob
  /// The newest fetch of the entry when the run succeeded; `nil` before.
  ///
  /// A newer fetch brings the data that replaces the layer.
  var keptSince: UInt32?
}
