/// One change over the data of one key, as the cache keeps it: the key, and not the change.
///
/// The change is the user's: its only subclass, `TypedLayer`, has it, and whoever reads the data
/// applies it, see ``LayeredBox``. `Sendable` is correct because all stored properties of both are
/// immutable and `Sendable`.
class OptimisticLayer: @unchecked Sendable {
  final let key: EntryKey

  init(_ key: EntryKey) {
    self.key = key
  }

  /// The data with the change; runs user code: never call it under the lock.
  ///
  /// - Parameter below: The data below the layer; `nil` if there is none.
  /// - Returns: What is seen above it; `nil` is no data.
  func applied(to below: ValueBox?) -> ValueBox? { below }
}

/// A layer that is about to be added.
package struct PlannedLayer: Sendable {
  var layer: OptimisticLayer
  /// The retention of an entry that has to be made for it.
  var gcTime: TimeSpan
}
