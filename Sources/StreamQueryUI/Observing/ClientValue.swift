@_spi(Adapters) public import StreamQuery

/// A value that a view follows in the client, such as the number of fetching queries; see ``ObservedValue``.
public struct ClientValue<Value: Sendable>: Sendable {
  let initial: Value
  let isSame: @Sendable (Value, Value) -> Bool
  let current: @Sendable (QueryClient) -> Value
  let changes: @Sendable (QueryClient) -> AsyncStream<Value>

  /// Describes a value of your own.
  ///
  /// - Parameters:
  ///   - initial: The value without a client, and after the end of the client's account.
  ///   - now: Returns the present value of a client, which is shown before the first element of the stream
  ///     and after its end.
  ///   - changes: Returns a stream of the values from now on.
  public init(
    initial: Value,
    now: @escaping @Sendable (QueryClient) -> Value,
    changes: @escaping @Sendable (QueryClient) -> AsyncStream<Value>
  ) where Value: Equatable {
    self.init(initial: initial, isSame: ==, now: now, changes: changes)
  }

  init(
    initial: Value,
    isSame: @escaping @Sendable (Value, Value) -> Bool,
    now: @escaping @Sendable (QueryClient) -> Value,
    changes: @escaping @Sendable (QueryClient) -> AsyncStream<Value>
  ) {
    (self.initial, self.isSame, self.current, self.changes) = (initial, isSame, now, changes)
  }
}

extension ClientValue where Value == Int {
  /// The number of fetching entries; see `QueryClient.fetchingCountStream(_:)`.
  ///
  /// - Parameter filter: Selects the entries.
  /// - Returns: The value.
  public static func fetchingCount(_ filter: QueryFilter = .all) -> Self {
    Self(initial: 0) {
      $0.fetchingCount(filter)
    } changes: {
      $0.fetchingCountStream(filter)
    }
  }

  /// The number of runs of mutations that have not ended; see `QueryClient.mutatingCountStream(_:)`.
  ///
  /// - Parameter filter: Selects the runs.
  /// - Returns: The value.
  public static func mutatingCount(_ filter: MutationFilter = .all) -> Self {
    Self(initial: 0) {
      $0.mutatingCount(filter)
    } changes: {
      $0.mutatingCountStream(filter)
    }
  }
}

extension ClientValue where Value == [MutationInfo] {
  /// The runs of mutations, in the order in which they were started; see `QueryClient.runs(matching:)`.
  ///
  /// - Parameter filter: Selects the runs.
  /// - Returns: The value.
  public static func runs(matching filter: MutationFilter = .all) -> Self {
    Self(initial: []) { one, other in
      one.elementsEqual(other) { $0.isSame(as: $1) }
    } now: {
      $0.mutations(filter)
    } changes: {
      $0.runs(matching: filter)
    }
  }
}
