extension CacheState {
  /// Gives a caller the cached value, or starts or joins a fetch for it.
  ///
  /// - Parameters:
  ///   - key: What it asks for.
  ///   - index: The entry, if there is one.
  ///   - need: Which cached data it accepts.
  ///   - request: What it asks of a fetch.
  ///   - role: Its role for the fetch; `nil` if it does not wait.
  ///   - query: How to fetch.
  ///   - freshness: When data is stale for it.
  ///   - initialData: The initial data that it brings.
  ///   - transaction: The transaction.
  /// - Returns: What it led to; of a caller that does not wait, only whether it was possible.
  mutating func fetch(
    _ key: EntryKey,
    at index: Int?,
    _ need: FetchNeed,
    _ request: FetchRequest,
    role: Waiter.Role?,
    _ query: StoredQuery,
    _ freshness: Freshness,
    _ initialData: InitialData?,
    _ transaction: inout Transaction
  ) -> FetchStart {
    guard !isShutDown else { return .shutDown }
    // Only a fetch that starts takes over how to fetch; other answers change the retention at most.
    let index = index ?? entry(key, query, &transaction)
    if slots[index].machine.gcTime < query.gcTime {
      keep(index, for: query.gcTime)
      updateBookkeeping(index, transaction)
    }
    placeInitialData(index, initialData, &transaction)
    transaction.isImperative = role == .leasing
    transaction.setting = request.setting
    let now = transaction.environment.now.instant
    let canFetch = query.canFetch || slots[index].query?.canFetch == true
    var request = request
    request.acceptsOlder = need == .ifMissing || need == .ifMissingElseRevalidate
    var decision = slots[index].machine.decision(for: need, freshness, canFetch: canFetch, at: now)
    if let terms = query.serving {
      servesCallers = true
      decision = served(index, decision, for: need, terms, freshness, canFetch: canFetch, at: now)
    }
    switch decision {
    case .useCached(let lookup, let revalidates):
      guard let box = slots[index].visible else { break }
      note(lookup, index, transaction)
      // Not of a transaction that changes the entry: nobody may see it before the end.
      if offers != nil, initialData == nil, !revalidates, !events.everyLookup { offer(index) }
      if revalidates {
        if slots[index].machine.isIdle { adopt(index, query, &transaction) }
        input(index, &transaction) { $0.requested(.manual, clientLease: true, in: $1) }
        if lookup == .hit { refreshBegan(index) }
      }
      return .cached(box)
    case .fetch:
      let isAnswered = slots[index].machine.isAnswered(
        superseding: request.isSuperseding,
        acceptsOlder: request.acceptsOlder
      )
      if isAnswered, let box = slots[index].visible {
        if role == .leasing { note(.hit, index, transaction) }
        return .cached(box)
      }
    case .useFailure:
      guard let error = slots[index].error else { break }
      note(.failure, index, transaction)
      return .failed(error)
    case .missingFetch:
      // The entry may have just been made: its retention has to start.
      updateBookkeeping(index, transaction)
      return .missingFetch
    }
    if let terms = query.serving {
      request.allowance = allowance(index, for: need, terms, freshness, at: now)
    }
    return self.request(index, request, query: query, role: role, &transaction)
      .map(FetchStart.waiting) ?? .recursive
  }

  /// Keeps an entry for at least as long from when nobody wants it: the longest time that anybody
  /// asked for counts.
  ///
  /// The next look at the deadline of the entry finds it.
  @inline(__always)
  mutating func keep(_ index: Int, for gcTime: TimeSpan) {
    if slots[index].machine.gcTime < gcTime {
      slots[index].machine.adopted(fetchOptions: nil, gcTime: gcTime)
    }
  }
}

/// What a caller asks of an entry's machine.
struct FetchRequest {
  var cause: FetchCause
  /// Whether a running fetch is replaced if there is data.
  var isSuperseding = false
  /// Whether the client itself wants the fetch.
  var hasClientLease = false
  /// What to fetch.
  var part = FetchPart.whole
  /// Whether an answer will do that began before an invalidation.
  var acceptsOlder = false
  /// What the caller says about how to fetch, if anything.
  var setting: FetchSetting?
  /// What the caller accepts instead of an answer, if anything.
  var allowance: StaleAllowance?
}

/// What the request of a caller that asks for a value led to.
enum FetchStart: Sendable {
  case cached(ValueBox)
  /// A fetch was started or joined.
  case waiting(Waiter)
  case missingFetch
  /// A failure is the answer for a while.
  case failed(ErrorBox)
  /// It is not known yet what a store keeps for the entry.
  case restoring
  /// The fetch waits for the caller.
  case recursive
  case shutDown
}
