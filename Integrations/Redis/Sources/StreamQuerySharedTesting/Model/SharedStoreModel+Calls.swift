public import StreamQueryShared

/// The calls of the store, each one step.
extension SharedStoreModel {
  /// Reads the entry of a key, or takes the lease to fetch it.
  ///
  /// - Parameters:
  ///   - key: The key and its marks.
  ///   - maxAge: The maximum age of the entry; `nil` accepts none.
  ///   - duration: How long the lease lasts if the caller takes it.
  ///   - now: The time.
  /// - Returns: The entry, or the caller that fetches it.
  /// - Throws: `SharedStoreError.tooLarge`.
  public mutating func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease duration: Duration,
    now: Duration
  ) throws(SharedStoreError) -> SharedBeginning {
    try check(key)
    let entry = entry(key.text, for: key.marks, now: now)
    if let entry, let maxAge, entry.age <= maxAge { return .entry(entry) }
    if let held = lease(key.text, for: key.marks, now: now) {
      return .follows(position: position, remaining: held.end - now, entry: entry)
    }
    lastToken += 1
    leases[key.text] = Lease(
      token: lastToken,
      marks: key.marks,
      version: log.last,
      time: now,
      end: Self.end(of: duration, from: now)
    )
    return .leads(SharedLease(key: key, token: lastToken, history: history), entry: entry)
  }

  /// Extends a lease from now on.
  ///
  /// - Parameters:
  ///   - claimed: The lease.
  ///   - duration: How long the lease lasts from now on.
  ///   - now: The time.
  /// - Returns: Whether the lease was still valid.
  public mutating func renew(
    _ claimed: SharedLease,
    for duration: Duration,
    now: Duration
  ) -> Bool {
    guard var held = lease(claimed, now: now) else { return false }
    held.end = Self.end(of: duration, from: now)
    leases[claimed.key.text] = held
    return true
  }

  /// Makes a value the entry of the lease's key, and ends the lease.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - claimed: The lease.
  ///   - lifetime: How long the store keeps the entry.
  ///   - now: The time.
  /// - Returns: The version of the entry; `nil` if the lease was not valid any more.
  /// - Throws: `SharedStoreError.tooLarge`; the lease does not change then.
  public mutating func commit(
    _ value: SharedValue,
    with claimed: SharedLease,
    lifetime: Duration,
    now: Duration
  ) throws(SharedStoreError) -> SharedVersion? {
    try check(value)
    guard let held = lease(claimed, now: now) else { return nil }
    let text = claimed.key.text
    return put(
      value,
      for: text,
      marks: held.marks,
      since: held.version,
      requestedAt: held.time,
      lifetime: lifetime,
      as: .committed(key: text),
      now: now
    )
  }

  /// Ends a lease without a value.
  ///
  /// - Parameters:
  ///   - claimed: The lease; nothing changes if it is not valid any more.
  ///   - failure: The text for the callers that wait.
  ///   - now: The time.
  public mutating func abandon(_ claimed: SharedLease, failure: String?, now: Duration) {
    guard lease(claimed, now: now) != nil else { return }
    leases[claimed.key.text] = nil
    _ = append(.abandoned(key: claimed.key.text, failure: failure), now: now)
  }

  /// Makes a value the entry of a key, also if another machine has the lease.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key and its marks.
  ///   - lifetime: How long the store keeps the entry.
  ///   - now: The time.
  /// - Returns: The version of the entry.
  /// - Throws: `SharedStoreError.tooLarge`.
  public mutating func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration,
    now: Duration
  ) throws(SharedStoreError) -> SharedVersion {
    try check(key)
    try check(value)
    return put(
      value,
      for: key.text,
      marks: key.marks,
      since: log.last,
      requestedAt: now,
      lifetime: lifetime,
      as: .written(key: key.text),
      now: now
    )
  }

  /// Invalidates all entries with one of some marks (keys, prefixes, tags), and ends their leases.
  ///
  /// - Parameters:
  ///   - marks: The marks.
  ///   - now: The time.
  /// - Returns: The version of the invalidation.
  /// - Throws: `SharedStoreError.tooLarge`.
  /// - Complexity: O(*m*) in the number of marks.
  public mutating func invalidate(
    _ marks: [SharedMark],
    now: Duration
  ) throws(SharedStoreError) -> SharedVersion {
    try check(marks)
    let version = append(.invalidated(marks), now: now)
    for mark in marks { invalidations[mark] = version }
    return version
  }

  /// Reads the messages of the log after a position.
  ///
  /// - Parameter start: The position of the last message that the caller knows; `nil` is the end.
  /// - Returns: The messages and the next position.
  public func changes(after start: SharedPosition?) -> SharedChanges {
    guard let start else { return SharedChanges(messages: [], position: position) }
    guard start.history == history, log.reaches(back: start.version) else {
      return SharedChanges(messages: [], position: position, isGap: true)
    }
    let messages = log.after(start.version, limit: limits.batchLength)
    var next = start
    next.version = messages.last?.version ?? start.version
    return SharedChanges(messages: messages, position: next, hasMore: next.version < log.last)
  }
}
