import Synchronization

/// How a fetched value keeps the unchanged parts of the cached one.
///
/// ```swift
/// let log = Query("log") { try await api.repos(of: 1) }.sharing(.off)
/// client.setDefaults(QueryOptions(sharing: .off), for: "telemetry")
/// ```
///
/// Values written with `setData` or `updateData` are cached as they were written.
public struct SharingPolicy: Sendable, _FreeOfActors {
  typealias Custom = (type: ObjectIdentifier, share: DefinitionExtras.Merge)

  /// The part of a policy that an entry keeps: a byte.
  enum Kind: UInt8, Sendable {
    case automatic
    case off
    case custom
  }

  let kind: Kind
  let custom: Custom?

  private init(_ kind: Kind, custom: Custom? = nil) {
    self.kind = kind
    self.custom = custom
  }

  /// An equal answer keeps the cached value, and a different one keeps the equal parts.
  ///
  /// This works for values that are `Equatable`, which is checked at run time; other values land as
  /// they are. The whole value is compared; lists, dictionaries and pages also part by part.
  /// ``StructurallyShared`` does that for your own types.
  ///
  /// - Complexity: O(*n*) in the size of the value for each answer, outside the cache's lock, in
  ///   the task of the fetch. A value that differs at its start costs little if it holds no
  ///   references.
  public static let automatic = SharingPolicy(.automatic)

  /// Each answer lands as it is.
  ///
  /// Use it for values that are expensive to compare, or whose `==` does not compare everything.
  public static let off = SharingPolicy(.off)

  /// A closure merges values of one type; all others are shared automatically.
  ///
  /// ```swift
  /// client.setDefaults(
  ///   QueryOptions(
  ///     sharing: .custom { (old: User, new: User) in old.name == new.name ? old : new }
  ///   ),
  ///   for: "users"
  /// )
  /// ```
  ///
  /// For a single query, `merge` does the same.
  ///
  /// - Parameter share: Takes the cached and the fetched value; must be pure, and may run several
  ///   times for one fetch.
  /// - Returns: The policy.
  public static func custom<Value: Sendable>(
    _ share: @escaping @Sendable (_ old: Value, _ new: Value) -> Value
  ) -> SharingPolicy {
    let erased: DefinitionExtras.Merge = { old, new in
      TypedBox(share(old.value(as: Value.self), new.value(as: Value.self)))
    }
    return SharingPolicy(.custom, custom: (ObjectIdentifier(Value.self), erased))
  }
}

extension Query {
  /// How a fetched value keeps unchanged parts; ``SharingPolicy/automatic`` by default.
  ///
  /// - Parameter policy: What is kept.
  /// - Returns: The changed query.
  public func sharing(_ policy: SharingPolicy) -> Self {
    options { $0.sharing = policy }
  }
}

/// How values of one type keep their unchanged parts; determined once per type, at run time.
///
/// A generic call site therefore shares like one that knows the type, and a landing fetch does not
/// look up the type's conformances again.
// Unchecked because it is not final: its only subclass holds types, which never change. Their
// conformances may be isolated to an actor, but are used only on immutable, Sendable values.
package class SharingRule: @unchecked Sendable {
  /// Never cleared: there are few types, and they live forever.
  private static let known = ContendedMutex<[ObjectIdentifier: SharingRule?]>([:])

  fileprivate init() {}

  /// The old box if its value equals the new one's; otherwise a box that shares parts with it.
  ///
  /// - Parameters:
  ///   - old: The previous box.
  ///   - new: The new box.
  /// - Returns: The box to continue with. Runs user code, so never call it under the lock.
  package func share(_ old: ValueBox, _ new: ValueBox) -> ValueBox { new }

  /// The rule of a type; `nil` if its values cannot be compared.
  package static func of(_ type: any Sendable.Type) -> SharingRule? {
    let id = ObjectIdentifier(type)
    if let rule = known.withLock({ $0[id] }) { return rule }
    let rule = find(type)
    known.withLock { $0[id] = .some(rule) }
    return rule
  }

  private static func find<Value: Sendable>(_ type: Value.Type) -> SharingRule? {
    func rule<Known: Equatable>(_ known: Known.Type) -> SharingRule {
      TypedRule<Value, Known>()
    }
    return (Value.self as? any Equatable.Type).map { rule($0) }
  }
}

/// The typed half of ``SharingRule``: `Known` is `Value`, seen to be `Equatable`.
// Unchecked because its superclass is.
private final class TypedRule<Value: Sendable, Known: Equatable>: SharingRule, @unchecked Sendable {
  private let sharing = PartSharing<Known>()

  override func share(_ old: ValueBox, _ new: ValueBox) -> ValueBox {
    guard old !== new else { return old }
    // The same type under another name, so no cast ever fails.
    guard let oldValue = old.value(as: Value.self) as? Known,
      let newValue = new.value(as: Value.self) as? Known
    else { return new }
    let (part, isOld) = sharing(oldValue, newValue)
    return isOld ? old : (part as? Value).map { TypedBox($0) } ?? new
  }
}
