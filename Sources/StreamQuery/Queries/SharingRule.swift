import Synchronization

/// The way in which values of one type keep their unchanged parts; determined once per type, at run
/// time.
///
/// A rule knows whether the type is `Equatable`, and ``PartSharing`` compares the values. So code that does
/// not know the type can compare them too, and no fetch has to look up the type's conformances again.
// Unchecked because it is not final: its only subclass holds types, which never change. Their
// conformances may be isolated to an actor, but are used only on immutable, Sendable values.
package class SharingRule: @unchecked Sendable {
  /// The rules found so far, `nil` for types that are not `Equatable`.
  ///
  /// The table is never cleared: there are few types, and they live forever.
  private static let known = ContendedMutex<[ObjectIdentifier: SharingRule?]>([:])

  fileprivate init() {}

  /// The subclass returns the old box if the values are equal, else a new one that shares unchanged parts.
  ///
  /// - Parameters:
  ///   - old: The previous box.
  ///   - new: The new box.
  /// - Returns: The box to continue with. This runs user code, so do not call it under the lock.
  package func share(_ old: ValueBox, _ new: ValueBox) -> ValueBox { new }

  /// The rule of a type; `nil` if its values cannot be compared.
  package static func of(_ type: any Sendable.Type) -> SharingRule? {
    let id = ObjectIdentifier(type)
    if let rule = known.withLock({ $0[id] }) { return rule }
    let rule = make(type)
    known.withLock { $0[id] = .some(rule) }
    return rule
  }

  private static func make<Value: Sendable>(_ type: Value.Type) -> SharingRule? {
    func rule<Known: Equatable>(_ known: Known.Type) -> SharingRule {
      TypedRule<Value, Known>()
    }
    return (Value.self as? any Equatable.Type).map { rule($0) }
  }
}

/// The typed half of ``SharingRule``: `Known` is the same type as `Value`, but known to be
/// `Equatable`.
// Unchecked because its superclass is.
private final class TypedRule<Value: Sendable, Known: Equatable>: SharingRule, @unchecked Sendable {
  private let sharing = PartSharing<Known>()

  override func share(_ old: ValueBox, _ new: ValueBox) -> ValueBox {
    guard old !== new else { return old }
    // `Known` and `Value` are the same type, so no cast ever fails.
    guard let oldValue = old.value(as: Value.self) as? Known,
      let newValue = new.value(as: Value.self) as? Known
    else { return new }
    let (part, isOld) = sharing(oldValue, newValue)
    return isOld ? old : (part as? Value).map { TypedBox($0) } ?? new
  }
}
