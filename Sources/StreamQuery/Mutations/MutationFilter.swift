/// A filter that selects the runs of mutations to which an operation applies.
///
/// Filters compose by `&&`, `||` and `!`:
///
/// ```swift
/// for await failed in client.runs(matching: .prefix("upload") && .status(.error)) {
///   show(failed)
/// }
/// ```
public struct MutationFilter: Sendable, _FreeOfActors {
  indirect enum Node: Sendable {
    case all
    case mutation(EntryKey)
    case key(AnyQueryKey)
    case prefix(AnyQueryKey)
    case predicate(@Sendable (MutationInfo) -> Bool)
    /// Runs that all of these nodes select.
    case and([Node])
    /// Runs that any of these nodes selects.
    case or([Node])
    case not(Node)
  }

  let node: Node

  init(node: Node) {
    self.node = node
  }

  init(_ predicate: @escaping @Sendable (MutationInfo) -> Bool) {
    node = .predicate(predicate)
  }

  /// Whether the filter selects every run, so that runs can be counted without being examined.
  var isAll: Bool {
    if case .all = node { true } else { false }
  }

  /// Whether the filter selects a run; this runs user code.
  package func matches(_ info: MutationInfo) -> Bool { node.selects(info) }

  /// Every run.
  public static var all: Self { Self(node: .all) }

  /// Runs that have not ended, including paused ones.
  public static var pending: Self { status(.pending) }

  /// Runs that wait for their scope, the network or the app.
  public static var paused: Self { Self(\.isPaused) }

  /// Runs with a status.
  ///
  /// - Parameter status: The status.
  /// - Returns: The filter.
  public static func status(_ status: MutationStatus) -> Self { Self { $0.status == status } }

  /// Runs of mutations whose keys start with a prefix; a record in the prefix also matches larger records.
  ///
  /// - Parameter key: The prefix.
  /// - Returns: The filter.
  public static func prefix(_ key: AnyQueryKey) -> Self { Self(node: .prefix(key)) }

  /// Runs of mutations whose keys start with these parts.
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

  /// Runs of mutations whose keys start with one part and a record that has at least these fields.
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

  /// Runs of mutations with exactly this key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The filter.
  public static func key(_ key: AnyQueryKey) -> Self { Self(node: .key(key)) }

  /// Runs of a mutation: of the same key and types.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The filter.
  public static func mutation<Input, Output>(_ mutation: Mutation<Input, Output>) -> Self {
    Self(node: .mutation(mutation.identity))
  }

  /// Runs for which a predicate holds.
  ///
  /// - Parameter predicate: Must be pure and quick. It runs outside the cache's lock.
  /// - Returns: The filter.
  public static func `where`(_ predicate: @escaping @Sendable (MutationInfo) -> Bool) -> Self {
    Self(predicate)
  }

  /// Runs that both filters select.
  public static func && (lhs: Self, rhs: Self) -> Self {
    Self(node: .and(lhs: lhs.node, rhs: rhs.node))
  }

  /// Runs that either filter selects.
  public static func || (lhs: Self, rhs: Self) -> Self {
    Self(node: .or(lhs: lhs.node, rhs: rhs.node))
  }

  /// Runs that the filter does not select.
  public static prefix func ! (operand: Self) -> Self { Self(node: .not(operand.node)) }
}

extension MutationFilter.Node: FilterNode {
  var conjuncts: [Self]? { if case .and(let nodes) = self { nodes } else { nil } }
  var disjuncts: [Self]? { if case .or(let nodes) = self { nodes } else { nil } }

  func selects(_ info: MutationInfo) -> Bool {
    switch self {
    case .all: true
    case .mutation(let identity): info.snapshot.key == identity
    case .key(let key): info.key == key
    case .prefix(let key): key.isPrefix(of: info.key)
    case .predicate(let predicate): predicate(info)
    case .and(let nodes): nodes.allSatisfy { $0.selects(info) }
    case .or(let nodes): nodes.contains { $0.selects(info) }
    case .not(let operand): !operand.selects(info)
    }
  }
}

extension MutationFilter: ExpressibleByArrayLiteral {
  /// Creates a filter by a prefix from the parts of the prefix: `["upload", album]`.
  ///
  /// - Parameter elements: The parts.
  public init(arrayLiteral elements: (any Hashable & Sendable)?...) {
    self = .prefix(AnyQueryKey(ofLiteral: elements))
  }
}

extension MutationFilter: ExpressibleByStringInterpolation {
  /// Creates a filter by a prefix of one part.
  ///
  /// - Parameter value: The part.
  public init(stringLiteral value: String) {
    self = .prefix(AnyQueryKey(value))
  }
}
