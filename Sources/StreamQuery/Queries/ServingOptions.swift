/// The options of a query about callers that have to be answered while its server is slow or away.
///
/// Most queries have none of them: there, they take one word.
// Unchecked: it is changed only by options that alone refer to it.
final class ServingOptions: @unchecked Sendable {
  struct Values: Sendable {
    var staleIfError: Duration?
    var softTimeout: Duration?
    var timeout: Duration?
    var cachesFailures: FailureCaching?
    var refreshAhead: RefreshAhead?

    /// These options over weaker ones.
    func over(_ base: Values) -> Values {
      var merged = self
      merged.staleIfError = staleIfError ?? base.staleIfError
      merged.softTimeout = softTimeout ?? base.softTimeout
      merged.timeout = timeout ?? base.timeout
      merged.cachesFailures = cachesFailures ?? base.cachesFailures
      merged.refreshAhead = refreshAhead ?? base.refreshAhead
      return merged
    }

    /// Whether no option is set.
    var isEmpty: Bool {
      staleIfError == nil && softTimeout == nil && timeout == nil && cachesFailures == nil
        && refreshAhead == nil
    }
  }

  // Exclusive by the rule above.
  @exclusivity(unchecked) var values: Values

  private init(_ values: Values) {
    self.values = values
  }

  /// A copy, to be changed; without options if there are none.
  @inline(never)
  static func copy(_ options: ServingOptions?) -> ServingOptions {
    ServingOptions(options?.values ?? Values())
  }

  /// Merges the options of a layer over those of a weaker one.
  static func merge(_ options: ServingOptions?, over base: ServingOptions?) -> ServingOptions? {
    guard let options, let base else { return options ?? base }
    return ServingOptions(options.values.over(base.values))
  }
}

extension ServingTerms {
  /// What callers are promised under merged options; `nil` if that is nothing.
  convenience init?(_ options: ServingOptions?) {
    guard let values = options?.values else { return nil }
    let timeout = values.timeout.map(TimeSpan.init) ?? .infinite
    let cachesFailures = values.cachesFailures.map { !$0.isOff } ?? false
    let refreshAhead = values.refreshAhead ?? .off
    guard
      values.staleIfError != nil || values.softTimeout != nil || !timeout.isInfinite
        || cachesFailures || !refreshAhead.isOff
    else { return nil }
    self.init(
      grace: values.staleIfError.map(TimeSpan.init) ?? .zero,
      softTimeout: values.softTimeout.map(TimeSpan.init) ?? .infinite,
      timeout: timeout,
      cachesFailures: cachesFailures,
      refreshAhead: refreshAhead
    )
  }
}

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
  public var cachesFailures: FailureCaching? {
    get { serving?.values.cachesFailures }
    @inline(__always) set { changeServing { $0.cachesFailures = newValue } }
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
