extension QueryRecord {
  /// The state of an entry.
  public struct State: Hashable, Sendable, _FreeOfActors {
    /// Whether there is data, an error, or nothing yet.
    public var status: QueryStatus
    /// The state of the fetch.
    public var fetchStatus: FetchStatus
    /// The reason for the running fetch, or for the last one.
    public var cause: FetchCause?
    /// The number of observers, disabled ones included.
    public var observerCount = 0
    /// The number of callers that wait for the fetch.
    public var waiterCount = 0
    /// The time of the data, negative if it is older than the record; `nil` without data.
    public var updatedAt: Duration?
    /// The number of times that data arrived.
    public var dataUpdateCount = 0
    /// The number of failed attempts of the running fetch, or of the last fetch if it failed; else 0.
    public var failureCount = 0
    /// The number of the row in ``QueryRecord/options``; `nil` if the entry has no query.
    public var options: Int?
    private var flags: Flags = []

    /// Creates the state of a new entry.
    ///
    /// - Parameters:
    ///   - status: Whether there is data, an error, or nothing yet.
    ///   - fetchStatus: The state of the fetch.
    package init(status: QueryStatus = .pending, fetchStatus: FetchStatus = .idle) {
      self.status = status
      self.fetchStatus = fetchStatus
    }

    private struct Flags: OptionSet, Hashable, Sendable {
      let rawValue: UInt8

      static let data = Flags(rawValue: 1)
      static let invalidated = Flags(rawValue: 2)
      static let placeholder = Flags(rawValue: 4)
      static let layered = Flags(rawValue: 8)
      static let active = Flags(rawValue: 16)
      static let endless = Flags(rawValue: 32)
    }

    private subscript(flag: Flags) -> Bool {
      get { flags.contains(flag) }
      set { if newValue { flags.insert(flag) } else { flags.remove(flag) } }
    }

    /// Whether there is data.
    public var hasData: Bool {
      get { self[.data] }
      set { self[.data] = newValue }
    }

    /// Whether the entry was invalidated, or a fetch of it failed, since the data arrived.
    public var isInvalidated: Bool {
      get { self[.invalidated] }
      set { self[.invalidated] = newValue }
    }

    /// Whether the query has a placeholder for data that is missing.
    public var isPlaceholder: Bool {
      get { self[.placeholder] }
      set { self[.placeholder] = newValue }
    }

    /// Whether optimistic layers lie over the data.
    public var isLayered: Bool {
      get { self[.layered] }
      set { self[.layered] = newValue }
    }

    /// Whether there is an enabled observer.
    public var isActive: Bool {
      get { self[.active] }
      set { self[.active] = newValue }
    }

    /// Whether the query is a stream without an end.
    public var isStreaming: Bool {
      get { self[.endless] }
      set { self[.endless] = newValue }
    }
  }
}
