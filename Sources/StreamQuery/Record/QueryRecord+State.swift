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
    /// The Booleans below, as in the format: bits of `RecordedState.Bit.flags`.
    var flags: UInt32 = 0

    /// Creates the state of a new entry.
    ///
    /// - Parameters:
    ///   - status: Whether there is data, an error, or nothing yet.
    ///   - fetchStatus: The state of the fetch.
    package init(status: QueryStatus = .pending, fetchStatus: FetchStatus = .idle) {
      self.status = status
      self.fetchStatus = fetchStatus
    }

    private subscript(flag: UInt32) -> Bool {
      get { flags & flag != 0 }
      set { if newValue { flags |= flag } else { flags &= ~flag } }
    }

    /// Whether there is data.
    public var hasData: Bool {
      get { self[RecordedState.Bit.data] }
      set { self[RecordedState.Bit.data] = newValue }
    }

    /// Whether the entry was invalidated, or a fetch of it failed, since the data arrived.
    public var isInvalidated: Bool {
      get { self[RecordedState.Bit.invalidated] }
      set { self[RecordedState.Bit.invalidated] = newValue }
    }

    /// Whether the query has a placeholder for data that is missing.
    public var isPlaceholder: Bool {
      get { self[RecordedState.Bit.placeholder] }
      set { self[RecordedState.Bit.placeholder] = newValue }
    }

    /// Whether optimistic layers lie over the data.
    public var isLayered: Bool {
      get { self[RecordedState.Bit.layered] }
      set { self[RecordedState.Bit.layered] = newValue }
    }

    /// Whether there is an enabled observer.
    public var isActive: Bool {
      get { self[RecordedState.Bit.active] }
      set { self[RecordedState.Bit.active] = newValue }
    }

    /// Whether the query is a stream without an end.
    public var isStreaming: Bool {
      get { self[RecordedState.Bit.endless] }
      set { self[RecordedState.Bit.endless] = newValue }
    }
  }
}
