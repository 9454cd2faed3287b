/// The optimistic changes of a run to cached data: one pure change per key.
///
/// The closure of `Mutation.optimistic(_:)` adds the changes. They lie over the data as layers, and are not
/// written to the cache.
public struct OptimisticChanges: _FreeOfActors {
  var layers: [OptimisticLayer] = []

  /// Lays a change over the data of a query.
  ///
  /// - Parameters:
  ///   - query: The query whose data is changed.
  ///   - change: Gets the data below the layer, or `nil` if nothing is cached, and changes it. If it leaves
  ///     `nil`, no data is shown. It must be pure: it is called again whenever the data below changes, on the
  ///     thread of whichever caller reads.
  public mutating func update<Value>(
    _ query: Query<Value>,
    _ change: @escaping @Sendable (inout Value?) -> Void
  ) {
    update(query.key, change)
  }

  /// Lays a change over the data of a key.
  ///
  /// - Parameters:
  ///   - key: The key whose data is changed.
  ///   - change: Gets the data below the layer, or `nil` if nothing is cached, and changes it. It
  ///     must be pure.
  @_disfavoredOverload
  public mutating func update<Value>(
    _ key: QueryKey<Value>,
    _ change: @escaping @Sendable (inout Value?) -> Void
  ) {
    layers.append(TypedLayer(key, change))
  }
}

/// The typed half of ``OptimisticLayer``, with the change of a user.
// Unchecked like the superclass: the one property here is immutable and `Sendable`.
final class TypedLayer<Value: Sendable>: OptimisticLayer, @unchecked Sendable {
  private let change: @Sendable (inout Value?) -> Void

  init(_ key: QueryKey<Value>, _ change: @escaping @Sendable (inout Value?) -> Void) {
    self.change = change
    super.init(EntryKey(key))
  }

  override func applied(to below: ValueBox?) -> ValueBox? {
    var value = below?.value(as: Value.self)
    change(&value)
    return value.map(TypedBox.init)
  }
}
