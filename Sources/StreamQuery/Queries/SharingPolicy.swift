/// The way in which a fetched value keeps the unchanged parts of the cached one.
///
/// ```swift
/// let log = Query("log") { try await api.repos(of: 1) }.sharing(.off)
/// client.setDefaults(QueryOptions(sharing: .off), for: "telemetry")
/// ```
///
/// Values written with `setData` or `updateData` are cached as they were written.
public struct SharingPolicy: Sendable, _FreeOfActors {
  typealias Custom = (type: ObjectIdentifier, share: DefinitionExtras.Merge)

  /// The kind of a policy, in one byte: an entry keeps it without the closure.
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

  /// If a fetched value equals the cached one, the cached one stays; otherwise its equal parts stay.
  ///
  /// This works for values that are `Equatable`, which is checked at run time; other values are cached as
  /// they are. The whole value is compared; lists, dictionaries and pages also part by part.
  /// ``StructurallyShared`` does that for your own types.
  ///
  /// - Complexity: O(*n*) in the size of the value for each answer, outside the cache's lock, in
  ///   the task of the fetch. A value that differs at its start costs little if it holds no
  ///   references.
  public static let automatic = SharingPolicy(.automatic)

  /// Each answer is cached as it is.
  ///
  /// Use it for values that are expensive to compare, or if their `==` does not compare everything.
  public static let off = SharingPolicy(.off)

  /// A closure merges values of one type; values of other types are shared automatically.
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
  /// The way in which a fetched value keeps unchanged parts; ``SharingPolicy/automatic`` by
  /// default.
  ///
  /// - Parameter policy: The policy.
  /// - Returns: The changed query.
  public func sharing(_ policy: SharingPolicy) -> Self {
    options { $0.sharing = policy }
  }
}
