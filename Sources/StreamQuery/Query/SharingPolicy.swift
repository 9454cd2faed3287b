/// How a fetched value keeps what did not change of the cached one.
///
/// ```swift
/// let log = Query("log") { try await api.repos(of: 1) }.sharing(.off)
/// client.setDefaults(QueryOptions(sharing: .off), for: "telemetry")
/// ```
///
/// What a caller writes, by `setData` or `updateData`, is cached as it was written.
public struct SharingPolicy: Sendable, _FreeOfActors {
  typealias Custom = (type: ObjectIdentifier, share: PlanExtras.Merge)

  /// What an entry keeps of a policy: a byte.
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

  /// An equal answer keeps the cached value, and one that differs keeps the parts that are equal.
  ///
  /// For values that are `Equatable`, which is found out at run time; others land as they are. The whole
  /// value is compared, and lists, dictionaries and pages part by part; ``StructurallyShared`` is for
  /// parts of types of your own.
  ///
  /// - Complexity: O(*n*) in the size of the value for each answer, outside the cache's lock, in the
  ///   task of the fetch. A value that differs at its start costs little if it holds no references.
  public static let automatic = SharingPolicy(.automatic)

  /// Each answer lands as it is: for values that are expensive to compare, or whose `==` does not look
  /// at everything.
  public static let off = SharingPolicy(.off)

  /// Values of one type are joined by a closure, all others automatically.
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
  /// For one query `merge` says the same.
  ///
  /// - Parameter share: Gets the cached and the fetched value; must be pure, and may run several times
  ///   for one fetch.
  /// - Returns: The policy.
  public static func custom<Value: Sendable>(
    _ share: @escaping @Sendable (_ old: Value, _ new: Value) -> Value
  ) -> SharingPolicy {
    let erased: PlanExtras.Merge = { old, new in
      TypedBox(share(old.value(as: Value.self), new.value(as: Value.self)))
    }
    return SharingPolicy(.custom, custom: (ObjectIdentifier(Value.self), erased))
  }
}

extension Query {
  /// How a fetched value keeps what did not change; ``SharingPolicy/automatic`` by default.
  ///
  /// - Parameter policy: What is kept.
  /// - Returns: The changed query.
  public func sharing(_ policy: SharingPolicy) -> Self {
    options { $0.sharing = policy }
  }
}

extension ResolvedPlan {
  /// How an answer keeps what did not change of the cached value; `nil` if it lands as it is.
  ///
  /// - Parameter key: Whose plan it is.
  /// - Returns: What joins the cached value with the new one; user code, so never under the lock.
  func share(for key: AnyQueryKey) -> PlanExtras.Merge? {
    if let merge = plan.merge { return merge }
    switch sharing {
    case .off: return nil
    case .custom:
      let policy = plan.options.sharing ?? defaults.options(for: key).sharing
      if let custom = policy?.custom, custom.type == ObjectIdentifier(plan.valueType) {
        return custom.share
      }
    case .automatic: break
    }
    guard let rule = SharingRule.of(plan.valueType) else { return nil }
    return { old, new in rule.share(old, new) }
  }
}
