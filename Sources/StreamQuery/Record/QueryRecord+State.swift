extension QueryRecord {
  /// The state of an entry.
  public struct State: Hashable, Sendable, _FreeOfActors {
    /// Whether there is data, an error, or nothing yet.
    public var status: QueryStatus
    /// The state of the fetch.
    public var fetchStatus: FetchStatus
    /// Whether there is data.
    public var hasData: Bool
    /// Whether the entry was invalidated since its data arrived.
    public var isInvalidated: Bool
    /// Whether observers see a placeholder.
    public var isPlaceholder: Bool
    /// Whether optimistic layers lie over the data.
    public var isLayered: Bool
    /// Whether there is an enabled observer.
    public var isActive: Bool
    /// Whether the data comes from a stream that does not end, or that has not ended yet.
    public var isStreaming: Bool
    /// The reason for the running fetch, or for the last one.
    public var cause: FetchCause?
    /// The number of observers, disabled ones included.
    public var observerCount: Int
    /// The number of callers that wait for the fetch.
    public var waiterCount: Int
    /// The time of the data, negative if it is older than the record; `nil` without data.
    public var updatedAt: Duration?
    /// The number of times that data arrived.
    public var dataUpdateCount: Int
    /// The number of failed attempts of the running fetch, or of the last one.
    public var failureCount: Int
    /// The number of the row in ``QueryRecord/options``; `nil` if the entry has no query.
    public var options: Int?

    /// Creates the state of a new entry.
    ///
    /// - Parameters:
    ///   - status: Whether there is data, an error, or nothing yet.
    ///   - fetchStatus: The state of the fetch.
    public init(status: QueryStatus = .pending, fetchStatus: FetchStatus = .idle) {
      self.status = status
      self.fetchStatus = fetchStatus
      (hasData, isInvalidated, isPlaceholder) = (false, false, false)
      (isLayered, isActive, isStreaming) = (false, false, false)
      (observerCount, waiterCount, dataUpdateCount, failureCount) = (0, 0, 0, 0)
    }
  }
}
