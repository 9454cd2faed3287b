/// What a mutation does to cached data while it runs: one pure change per key.
///
/// Given to the closure of `Mutation.optimistic(_:)`; the changes are not made to the data, but
/// laid over it.
public struct OptimisticChanges: _FreeOfActors {
  var layers: [OptimisticLayer] = []

  /// Lays a change over the data of a query.
  ///
  /// - Parameters:
  ///   - query: Whose data.
  ///   - change: Gets what lies below, or `nil` if nothing is cached, and changes it; leaving `nil`
  ///     shows no data. It must be pure: it is called again whenever what lies below changes, on
  ///     the thread of whoever looks.
  public mutating func update<Value>(
    _ query: Query<Value>,
    _ change: @escaping @Sendable (inout Value?) -> Void
  ) {
    update(query.key, change)
  }

  /// Lays a change over the data of a key.
  ///
  /// - Parameters:
  ///   - key: Whose data.
  ///   - change: Gets what lies below, or `nil` if nothing is cached, and changes it. It must be
  ///     pure.
  @_disfavoredOverload
  public mutating func update<Value>(
    _ key: QueryKey<Value>,
    _ change: @escaping @Sendable (inout Value?) -> Void
  ) {
    layers.append(
      OptimisticLayer(EntryKey(key)) { box in
        var value = box?.value(as: Value.self)
        change(&value)
        return value.map(TypedBox.init)
      }
    )
  }
}
