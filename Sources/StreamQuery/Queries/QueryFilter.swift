/// The entries to which an operation applies.
///
/// Filters compose with `&&`, `||` and `!`:
///
/// ```swift
/// await client.refetch(.prefix("repos") && .stale && .inactive)
/// client.remove(!.active && .where { $0.age ?? .zero > .hours(1) })
/// ```
///
/// A filter is evaluated once per call: the call's own changes do not change which entries match.
/// The cost of an operation with a key or a prefix is in proportion to the matches, not to the
/// cache. Any other filter searches the cache, holding its lock for a thousand entries at a time.
/// The call then handles all matches in one transaction, which holds the lock in proportion to
/// their number.
public struct QueryFilter: Sendable, _FreeOfActors {
  enum Node: Sendable {
    /// A filter that the cache evaluates. The other cases are used only for filters with
    /// predicates.
    case plain(EntryFilter)
    case predicate(@Sendable (QueryInfo) -> Bool)
    /// Entries that match all of these nodes.
    case and([Node])
    /// Entries that match any of these nodes.
    case or([Node])
    indirect case not(Node)
  }

  let node: Node

  private init(node: Node) {
    self.node = node
  }

  init(_ filter: EntryFilter) {
    node = .plain(filter)
  }

  /// Every entry.
  public static var all: Self { Self(.all) }

  /// Entries whose data is stale for an observer, and unobserved ones whose data is missing or invalidated.
  ///
  /// Each observer has its own stale time, so unobserved data does not become stale by age. For a disabled
  /// observer, data is never stale, even if it is missing.
  public static var stale: Self { Self(.stale) }

  /// Entries that are not ``stale``.
  public static var fresh: Self { Self(.not(.stale)) }

  /// Entries with an enabled observer, or with an observer that waits for a store.
  public static var active: Self { Self(.active) }

  /// Entries that are not ``active``.
  ///
  /// Saved data that was not used since the launch is inactive, too. So `remove(.inactive)` also deletes
  /// drafts that nobody has opened yet. Combine it with keys, or with a predicate: a removal with a predicate
  /// spares such data if it is kept without a limit of age.
  public static var inactive: Self { Self(.not(.active)) }

  /// Entries whose fetch runs or waits for its next attempt.
  public static var fetching: Self { Self(.fetchStatus(.fetching)) }

  /// Entries whose fetch waits for the network or the app.
  public static var paused: Self { Self(.fetchStatus(.paused)) }

  /// Entries of a status.
  ///
  /// Optimistic changes of mutations do not count: an entry that has nothing else is pending. In a predicate,
  /// ``QueryInfo/status`` includes them.
  ///
  /// - Parameter status: The status.
  /// - Returns: The filter.
  public static func status(_ status: QueryStatus) -> Self { Self(.status(status)) }

  /// Entries of a fetch status.
  ///
  /// - Parameter fetchStatus: The fetch status.
  /// - Returns: The filter.
  public static func fetchStatus(_ fetchStatus: FetchStatus) -> Self {
    Self(.fetchStatus(fetchStatus))
  }

  /// Entries whose keys start with a prefix; a record in the prefix matches records with more fields, too.
  ///
  /// - Parameter key: The prefix.
  /// - Returns: The filter.
  public static func prefix(_ key: AnyQueryKey) -> Self { Self(.prefix(key)) }

  /// Entries whose keys start with these parts.
  ///
  /// - Parameters:
  ///   - first: The first part.
  ///   - second: The second part.
  ///   - part: Further parts.
  /// - Returns: The filter.
  public static func prefix<
    First: Hashable & Sendable,
    Second: Hashable & Sendable,
    each Part: Hashable & Sendable
  >(
    _ first: First,
    _ second: Second,
    _ part: repeat each Part
  ) -> Self {
    prefix(AnyQueryKey(first, second, repeat each part))
  }

  /// Entries whose keys start with one part and a record of at least these fields.
  ///
  /// - Parameters:
  ///   - first: The first part.
  ///   - fields: The fields.
  /// - Returns: The filter.
  public static func prefix<First: Hashable & Sendable>(
    _ first: First,
    fields: KeyRecord
  ) -> Self {
    prefix(AnyQueryKey(first, fields: fields))
  }

  /// Exactly the entry of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The filter.
  public static func key<Value>(_ key: QueryKey<Value>) -> Self {
    Self(.entry(EntryKey(key)))
  }

  /// Gives nothing: a literal does not say the type of the value.
  ///
  /// - Parameter key: The key.
  /// - Returns: Nothing.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  @available(
    *,
    unavailable,
    message: "name the value's type, .key(QueryKey<User>(\"user\", 1)), or write .prefix"
  )
  public static func key(_ key: AnyQueryKey) -> Self { .prefix(key) }

  /// Exactly the entry of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The filter.
  public static func query<Value>(_ query: Query<Value>) -> Self { key(query.key) }

  /// Entries for which a predicate holds.
  ///
  /// - Parameter predicate: Must be pure and quick; may run several times for an entry that changes
  ///   meanwhile. It runs outside the cache's lock.
  /// - Returns: The filter.
  public static func `where`(_ predicate: @escaping @Sendable (QueryInfo) -> Bool) -> Self {
    Self(node: .predicate(predicate))
  }

  /// Entries that match at least one of any number of filters.
  ///
  /// ```swift
  /// let changed = QueryFilter.any(of: [.key(QueryKey<User>("users", 1)), .prefix("repos", "octocat")])
  /// client.markInvalidated(changed)
  /// ```
  ///
  /// - Parameter filters: The filters; an empty list matches no entry.
  /// - Returns: The filter.
  public static func any(of filters: [Self]) -> Self {
    var filters = filters
    // Joins filters in pairs, so that the depth of the result grows only with the logarithm of their number.
    while filters.count > 1 {
      filters = stride(from: 0, to: filters.count, by: 2).map {
        $0 + 1 < filters.count ? filters[$0] || filters[$0 + 1] : filters[$0]
      }
    }
    return filters.first ?? !.all
  }

  /// Entries that match both filters.
  public static func && (lhs: Self, rhs: Self) -> Self {
    if let (lhs, rhs) = plain(lhs, rhs) { return Self(.and(lhs: lhs, rhs: rhs)) }
    return Self(node: .and(lhs: lhs.node, rhs: rhs.node))
  }

  /// Entries that match either filter.
  ///
  /// - Complexity: In proportion to the matches of both if both name keys or prefixes.
  public static func || (lhs: Self, rhs: Self) -> Self {
    if let (lhs, rhs) = plain(lhs, rhs) { return Self(.or(lhs: lhs, rhs: rhs)) }
    return Self(node: .or(lhs: lhs.node, rhs: rhs.node))
  }

  /// Entries that do not match the filter.
  public static prefix func ! (operand: Self) -> Self {
    if case .plain(let filter) = operand.node { return Self(.not(filter)) }
    return Self(node: .not(operand.node))
  }
}

extension QueryFilter {
  private static func plain(_ lhs: Self, _ rhs: Self) -> (EntryFilter, EntryFilter)? {
    guard case .plain(let lhs) = lhs.node, case .plain(let rhs) = rhs.node else { return nil }
    return (lhs, rhs)
  }
}

extension QueryFilter.Node: FilterNode {
  var conjuncts: [Self]? { if case .and(let nodes) = self { nodes } else { nil } }
  var disjuncts: [Self]? { if case .or(let nodes) = self { nodes } else { nil } }
}

extension QueryFilter: ExpressibleByArrayLiteral {
  /// Creates a filter by a prefix from the parts of the prefix: `["repos", owner]`.
  ///
  /// - Parameter elements: The parts.
  public init(arrayLiteral elements: (any Hashable & Sendable)?...) {
    self = .prefix(AnyQueryKey(ofLiteral: elements))
  }
}

extension QueryFilter: ExpressibleByStringInterpolation {
  /// Creates a filter by a prefix of one part.
  ///
  /// - Parameter value: The part.
  public init(stringLiteral value: String) {
    self = .prefix(AnyQueryKey(value))
  }
}
