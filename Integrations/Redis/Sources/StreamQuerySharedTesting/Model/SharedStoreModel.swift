public import StreamQueryShared

/// The rules of ``/StreamQueryShared/SharedStore`` as a value, without a clock, a lock or a wait.
///
/// The time is an argument, by the store's own clock. A copy is a snapshot: a replica that lags is
/// an earlier copy.
///
/// ```swift
/// var store = SharedStoreModel(history: SharedHistory("first"))
/// let key = SharedKey("user/42", marks: [SharedMark("user/42")])
/// let begun = try store.begin(key, maxAge: .seconds(5), lease: .seconds(10), now: .zero)
/// ```
public struct SharedStoreModel: Sendable {
  /// The milliseconds since 1970 at time zero.
  static var epoch: UInt64 { 1_700_000_000_000 }

  struct Entry: Sendable {
    let value: SharedValue
    let marks: [SharedMark]
    let version: SharedVersion
    /// The end of the log when the entry's lease was given, or when the entry was written; a later
    /// invalidation ends the entry.
    let since: SharedVersion
    let time: Duration
    /// The time when the entry's lease was given, or when the entry was written.
    let requestedAt: Duration
    let end: Duration
  }

  struct Lease: Sendable {
    let token: UInt64
    let marks: [SharedMark]
    /// The end of the log when the lease was given; a later invalidation ends the lease.
    let version: SharedVersion
    let time: Duration
    var end: Duration
  }

  /// The history of the log.
  public let history: SharedHistory
  /// The limits.
  public let limits: SharedStoreLimits

  var entries: [String: Entry] = [:]
  var leases: [String: Lease] = [:]
  /// The last invalidation of each mark.
  var invalidations: [SharedMark: SharedVersion] = [:]
  var log: SharedLog
  var lastToken: UInt64 = 0

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - history: The history of the log: a name that no earlier store had.
  ///   - limits: The limits.
  public init(history: SharedHistory, limits: SharedStoreLimits = SharedStoreLimits()) {
    self.history = history
    self.limits = limits
    log = SharedLog(limit: limits.logLength)
  }

  /// The end of the log.
  public var position: SharedPosition { SharedPosition(history: history, version: log.last) }

  // MARK: Validity

  /// The entry of a key, if it is valid for a reader with some marks.
  func entry(_ text: String, for marks: [SharedMark] = [], now: Duration) -> SharedEntry? {
    guard let entry = entries[text], now < entry.end else { return nil }
    guard lastInvalidation(of: entry.marks + marks) <= entry.since else { return nil }
    return SharedEntry(
      value: entry.value,
      version: entry.version,
      age: max(.zero, now - entry.time),
      requestAge: max(.zero, now - entry.requestedAt)
    )
  }

  /// The lease of a key, if it is valid for a caller with some marks.
  func lease(_ text: String, for marks: [SharedMark] = [], now: Duration) -> Lease? {
    guard let lease = leases[text], now < lease.end else { return nil }
    return lastInvalidation(of: lease.marks + marks) > lease.version ? nil : lease
  }

  /// The lease that a caller claims to have, if it is valid.
  func lease(_ claimed: SharedLease, now: Duration) -> Lease? {
    guard claimed.history == history, let lease = lease(claimed.key.text, now: now) else {
      return nil
    }
    return lease.token == claimed.token ? lease : nil
  }

  private func lastInvalidation(of marks: [SharedMark]) -> SharedVersion {
    var last = SharedVersion(milliseconds: 0, sequence: 0)
    for mark in marks { last = max(last, invalidations[mark] ?? last) }
    return last
  }

  // MARK: Changing

  mutating func append(_ kind: SharedMessage.Kind, now: Duration) -> SharedVersion {
    let milliseconds = now / .milliseconds(1)
    return log.append(
      kind,
      milliseconds: Self.epoch + UInt64(max(0, min(milliseconds, 1e15)))
    )
  }

  mutating func put(
    _ value: SharedValue,
    for text: String,
    marks: [SharedMark],
    since: SharedVersion,
    requestedAt: Duration,
    lifetime: Duration,
    as kind: SharedMessage.Kind,
    now: Duration
  ) -> SharedVersion {
    let version = append(kind, now: now)
    entries[text] = Entry(
      value: value,
      marks: marks,
      version: version,
      since: since,
      time: now,
      requestedAt: requestedAt,
      end: Self.end(of: lifetime, from: now)
    )
    leases[text] = nil
    return version
  }

  /// The time when a duration from now on ends; enormous durations are limited, so that no sum overflows.
  static func end(of duration: Duration, from now: Duration) -> Duration {
    now + min(max(duration, .zero), .seconds(1 << 40 as Int64))
  }

  // MARK: Limits

  func check(_ key: SharedKey) throws(SharedStoreError) {
    try check(bytes: key.text.utf8.count, limit: limits.keyBytes)
    try check(key.marks)
  }

  func check(_ marks: [SharedMark]) throws(SharedStoreError) {
    for mark in marks { try check(bytes: mark.text.utf8.count, limit: limits.keyBytes) }
  }

  func check(_ value: SharedValue) throws(SharedStoreError) {
    try check(bytes: value.bytes.count, limit: limits.valueBytes)
  }

  private func check(bytes: Int, limit: Int) throws(SharedStoreError) {
    if bytes > limit { throw .tooLarge(bytes: bytes, limit: limit) }
  }
}
