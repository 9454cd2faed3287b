/// One change over the data of one key, as the cache keeps it: it has the key, but not the change.
///
/// The change is user code. The only subclass, `TypedLayer`, has it, and each reader of the data
/// applies it, see ``LayeredBox``. `Sendable` is correct because all stored properties of both are
/// immutable and `Sendable`.
class OptimisticLayer: @unchecked Sendable {
  final let key: EntryKey

  init(_ key: EntryKey) {
    self.key = key
  }

  /// Returns the data with the change; runs user code, so never under the lock.
  ///
  /// - Parameter below: The data below the layer; `nil` if there is none.
  /// - Returns: The data above the layer; `nil` is no data.
  func applied(to below: ValueBox?) -> ValueBox? { below }
}

/// A layer that is about to be added.
package struct LayerPlan: Sendable {
  var layer: OptimisticLayer
  /// The retention of an entry that has to be made for it.
  var gcTime: TimeSpan
}
