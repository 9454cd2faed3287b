/// The typed half of ``OptimisticLayer``: the change of a user.
// Unchecked as its superclass is: its one property is immutable and `Sendable`.
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
