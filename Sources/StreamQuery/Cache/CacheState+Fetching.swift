extension CacheState {
  /// Gives a caller the cached value, or starts or joins a fetch for it.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - index: The entry, if there is one.
  ///   - need: The cached data that the caller accepts.
  ///   - request: The request to the machine.
  ///   - role: The role of the caller for the fetch; `nil` if the caller does not wait.
  ///   - resolution: The caller's query with its options: how to fetch, when data is stale, and the
  ///     initial data.
  ///   - transaction: The transaction.
  /// - Returns: The answer, or the start of the fetch. If a fetch was started or joined for a caller that
  ///   does not wait, this is ``FetchStart/recursive``, because there is no waiter.
  mutating func fetch(
    _ key: EntryKey,
    at index: Int?,
    _ need: CachePolicy,
    _ request: FetchRequest,
    role: Waiter.Role?,
    _ resolution: Resolution,
    _ transaction: inout Transaction
  ) -> FetchStart {
    guard !resolution.isRestoring else { return .restoring }
    guard !isShutDown else { return .shutDown }
    let (query, freshness) = (resolution.query, resolution.options.freshness)
    // An existing entry takes over the query only if a fetch starts. If the caller gets another answer, at
    // most the retention changes.
    let index = index ?? entry(key, query, &transaction)
    if slots[index].machine.gcTime < query.gcTime {
      keep(index, for: query.gcTime)
      updateBookkeeping(index, &transaction)
    }
    placeInitialData(index, resolution.initialData, &transaction)
    transaction.isImperative = role == .leasing
    transaction.setting = request.setting
    let now = transaction.environment.now.instant
    let canFetch = query.canFetch || slots[index].query?.canFetch == true
    var request = request
    if need == .ifMissing || need == .ifMissingElseRevalidate { request.joining = .any }
    // This concerns only whole values: a page that code of a fetch requests is fetched after that fetch.
    if need == .always, request.part == .whole {
      request.joining = bounded(request.joining, index, transaction)
    }
    var decision = slots[index].machine.decision(for: need, freshness, canFetch: canFetch, at: now)
    if let terms = query.serving {
      decision = served(index, decision, for: need, terms, freshness, canFetch: canFetch, at: now)
    }
    switch decision {
    case .useCached(let lookup, let revalidates):
      guard let box = slots[index].visible else { break }
      recordLookup(lookup, index, transaction)
      if revalidates {
        if slots[index].machine.isIdle { adopt(index, query, &transaction) }
        input(index, &transaction) { $0.requested(.manual, clientLease: true, in: $1) }
        if lookup == .hit { refreshBegan(index) }
      } else if resolution.initialData == nil, reports.needs < .everyLookup {
        // Initial data that was placed just now is not announced: nobody may see it before the
        // transaction ends.
        announce(.found(index), &transaction)
      }
      return .cached(box)
    case .fetch:
      if slots[index].machine.isAnswered(joining: request.joining), let box = slots[index].visible {
        if role == .leasing { recordLookup(.hit, index, transaction) }
        return .cached(box)
      }
    case .useFailure:
      guard let error = slots[index].error else { break }
      recordLookup(.failure, index, transaction)
      return .failed(error)
    case .missingFetch:
      // The retention of an entry that was just made has to start.
      updateBookkeeping(index, &transaction)
      return .missingFetch
    }
    if let terms = query.serving {
      request.allowance = allowance(index, for: need, terms, freshness, at: now)
    }
    // A watching caller does not keep a fetch running. If nobody observes the key, the client keeps the fetch
    // running: otherwise it would end when the other callers leave.
    if role == .watching, slots[index].machine.observerCount == 0 { request.hasClientLease = true }
    let waiter = self.request(index, request, query: query, role: role, &transaction)
    // The request comes first, because it may join a deferred fetch that the announcement begins.
    if need == .always { announce(.refetched(index), &transaction) }
    return waiter.map(FetchStart.waiting) ?? .recursive
  }

  /// Keeps an entry for at least a time after its last use; the longest requested time counts.
  ///
  /// The deadline of the entry changes with the next call of ``updateBookkeeping(_:_:)``.
  @inline(__always)
  mutating func keep(_ index: Int, for gcTime: TimeSpan) {
    if slots[index].machine.gcTime < gcTime {
      slots[index].machine.adopted(fetchOptions: nil, gcTime: gcTime)
    }
  }
}

/// A caller's request to an entry's machine.
struct FetchRequest {
  var cause: FetchCause
  /// The fetches in flight that the request joins.
  var joining = EntryMachine.Joining.upToDate
  /// Whether the client itself wants the fetch, so that the fetch goes on even if no caller waits.
  var hasClientLease = false
  /// The part of the value to fetch.
  var part = FetchPart.whole
  /// The caller's setting for the fetch, if any.
  var setting: FetchSetting?
  /// The stale data that the caller accepts if the fetch fails or takes too long; `nil` if it accepts none.
  var allowance: StaleAllowance?
}

/// The result of a request by a caller that asks for a value.
enum FetchStart: Sendable {
  case cached(ValueBox)
  /// A fetch was started or joined.
  case waiting(Waiter)
  case missingFetch
  /// The last failure; callers get it as their answer for a while.
  case failed(ErrorBox)
  /// The store of the entry has not been read yet.
  case restoring
  /// The fetch itself waits for the caller, so the caller must not wait for it; or the caller does not wait.
  case recursive
  case shutDown
}
