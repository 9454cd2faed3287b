/// What callers get while the server is slow or away; see <doc:OnTheServer>.
extension QueryOptions {
  /// For how long after it became stale data is returned if its refetch fails; not at all by
  /// default.
  public var staleIfError: Duration? {
    get { serving?.values.staleIfError }
    @inline(__always) set { changeServing { $0.staleIfError = newValue } }
  }

  /// How long a fetch may take until its callers get stale data instead, within
  /// ``staleIfError``; for ever by default.
  public var softTimeout: Duration? {
    get { serving?.values.softTimeout }
    @inline(__always) set { changeServing { $0.softTimeout = newValue } }
  }

  /// How long one attempt of a fetch may take until it is cancelled and has failed; for ever by
  /// default, and for streamed and infinite queries that do not say it themselves.
  public var timeout: Duration? {
    get { serving?.values.timeout }
    @inline(__always) set { changeServing { $0.timeout = newValue } }
  }

  /// How long a failure is the answer for those who ask next; ``FailureCaching/off`` by default.
  public var failureCaching: FailureCaching? {
    get { serving?.values.failureCaching }
    @inline(__always) set { changeServing { $0.failureCaching = newValue } }
  }

  /// Whether fresh data is refetched before it becomes stale; ``RefreshAhead/off`` by default.
  public var refreshAhead: RefreshAhead? {
    get { serving?.values.refreshAhead }
    @inline(__always) set { changeServing { $0.refreshAhead = newValue } }
  }

  /// Of queries whose attempts are as long as their data is: a connection, or many pages.
  ///
  /// A limit that is a default would be too short for some of them.
  static let ofLongAttempts: QueryOptions = {
    var options = QueryOptions.default
    options.timeout = .seconds(Int64.max)
    return options
  }()

  /// In place, if no other options have them: a chain of modifiers makes one object.
  @inline(__always)
  private mutating func changeServing(_ change: (inout ServingOptions.Values) -> Void) {
    if !isKnownUniquelyReferenced(&serving) { serving = ServingOptions.copy(serving) }
    guard let serving else { return }
    change(&serving.values)
    if serving.values.isEmpty { self.serving = nil }
  }
}
