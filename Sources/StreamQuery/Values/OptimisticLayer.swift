/// One change of a mutation over the data of one key, as the cache keeps it: with the key, but
/// without the code that makes the change.
///
/// That code is the user's. The only subclass, `TypedLayer`, has it, and readers of the data run
/// it, see ``LayeredBox``. `Sendable` is correct because all stored properties of both are
/// immutable and `Sendable`.
class OptimisticLayer: @unchecked Sendable {
  final let key: EntryKey

  init(_ key: EntryKey) {
    self.key = key
  }

  /// Returns the data with the change.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameter below: The data below the layer; `nil` if there is none.
  /// - Returns: The data above the layer; `nil` is no data.
  func applied(to below: ValueBox?) -> ValueBox? { below }
}

/// A layer that is about to be added.
package struct LayerPlan: Sendable {
  var layer: OptimisticLayer
  /// How long the entry is kept without observers, if it has to be made for the layer.
  var gcTime: TimeSpan
}
