// Calls for developer tools.

nonisolated extension QueryClient {
  /// The limits of a client, and how much of them is used.
  @_spi(Adapters) public struct Limits: Hashable, Sendable {
    /// The number of fetches that may run at a time; `nil` without a limit.
    public var maxFetches: Int?
    /// The number of running fetches that count toward the limit.
    public var runningFetches = 0
    /// The number of fetches that wait for others to end.
    public var waitingFetches = 0
    /// The maximum number of entries, beside those that are in use; `nil` without a limit.
    public var maxEntries: Int?
    /// The highest cost of all entries, beside those that are in use; `nil` without a limit.
    public var maxCost: Int?
    /// The number of all entries.
    public var entryCount = 0
    /// The cost of all entries; `nil` without a limit of it.
    public var cost: Int?
  }

  /// The artificial conditions under which the client works; `nil` if it keeps no record, and so
  /// takes no conditions.
  @_spi(Adapters) public nonisolated var conditions: ClientConditions? { presentConditions }

  /// Changes the artificial conditions under which the client works.
  ///
  /// If a change switches the network off or on, it takes effect at once, whatever the network's
  /// source reports, and however long its reports are trusted. Attempts that already run are not
  /// delayed.
  ///
  /// - Parameter change: The change.
  /// - Returns: Whether the client has a record, and so takes conditions.
  @_spi(Adapters) @discardableResult
  public nonisolated func changeConditions(_ change: ClientConditions.Change) -> Bool {
    guard let conditioned else { return false }
    var begun: ClientConditions.Fetch?
    if case .failNext(let info) = change { begun = begunFetch(of: info.entryKey) }
    conditioned.change(change, besides: begun)
    switch change {
    case .offline, .end: networkForced()
    case .delay, .failNext, .clearFailNext: break
    }
    return true
  }

  /// The limits of the client, and how much of them is used.
  @_spi(Adapters) public nonisolated var limits: Limits {
    let (fetches, entries, cost) = cache.read {
      ($0.limitedFetchCounts, $0.slots.keys.count, $0.totalCost)
    }
    return Limits(
      maxFetches: configuration.maxConcurrentFetches,
      runningFetches: fetches.running,
      waitingFetches: fetches.waiting,
      maxEntries: configuration.limit?.maxEntries,
      maxCost: configuration.limit?.maxCost,
      entryCount: entries,
      cost: configuration.limit?.maxCost == nil ? nil : cost
    )
  }

  /// The reason why an entry cannot be refetched.
  @_spi(Adapters) public enum RefetchObstacle: Hashable, Sendable {
    /// No query with a fetch closure has used the entry: an attempt would only fail.
    case noFetch
    /// An observer treats the data as static.
    case isStatic
    /// All observers are disabled.
    case isDisabled
    /// The entry has no observer and never had a result.
    case isUnused
  }

  /// Returns the reason why an entry cannot be refetched.
  ///
  /// ``refetch(_:superseding:)`` leaves out such an entry, or its attempts fail with
  /// ``QueryError/missingFetch(key:)``.
  ///
  /// - Parameter info: The entry.
  /// - Returns: The reason; `nil` if the entry can be refetched, or is gone.
  @_spi(Adapters) public nonisolated func refetchObstacle(of info: QueryInfo) -> RefetchObstacle? {
    cache.read { state in
      guard let index = state.find(info.entryKey) else { return nil }
      if state.slots[index].query?.canFetch != true { return .noFetch }
      if state.isBulkRefetched(index) || state.restoring(index) != nil { return nil }
      if state.slots[index].machine.isStatic { return .isStatic }
      return state.slots[index].machine.observerCount > 0 ? .isDisabled : .isUnused
    }
  }

  /// The options of an entry and its observers.
  ///
  /// - Parameter info: The entry.
  /// - Returns: The options; `nil` if there is no such entry any more.
  @_spi(Adapters) public nonisolated func detail(of info: QueryInfo) -> EntryDetail? {
    let found = cache.read { state -> (StoredQuery?, StoredDefaults, [ObserverGroup])? in
      guard let index = state.find(info.entryKey) else { return nil }
      let slot = state.slots[index]
      return (slot.query, state.defaults, slot.machine.groups)
    }
    guard let (query, defaults, groups) = found else { return nil }
    var layers = defaults.table.layers(for: info.key)
    if let query {
      layers.insert((.query, query.resolved.definition.options), at: 0)
      layers.append((.standard, query.resolved.standardOptions))
    }
    return EntryDetail(
      options: EntryDetail.options(of: layers),
      observers: groups.map {
        EntryDetail.Observers(text: $0.resolvedOptions.words, count: $0.count)
      }
    )
  }

  /// Writes a value whose type only the entry knows, for example a value that a user has typed in.
  ///
  /// - Parameters:
  ///   - info: The entry.
  ///   - decode: Makes a value of the type that it is given.
  /// - Returns: Whether the value was written; `false` if values of the entry cannot be decoded, or
  ///   if the entry is gone.
  /// - Throws: The error of the closure.
  @_spi(Adapters) public nonisolated func setData<Failure: Error>(
    of info: QueryInfo,
    decoding decode: (any Decodable.Type) throws(Failure) -> any Decodable
  ) throws(Failure) -> Bool {
    let query = cache.read { state -> StoredQuery? in
      state.find(info.entryKey).flatMap { state.slots[$0].query }
    }
    guard let type = info.entryKey.valueType as? any Decodable.Type,
      let box = query?.resolved.definition.box(try decode(type))
    else { return false }
    write(box, info.entryKey.valueType, for: info.key, updatedAt: nil, fencing: false)
    return true
  }
}

extension QueryFilter {
  /// Selects one entry.
  ///
  /// - Parameter info: The entry, whichever type its values have.
  /// - Returns: The filter.
  @_spi(Adapters) public static func entry(of info: QueryInfo) -> Self {
    Self(.entry(info.entryKey))
  }
}
