internal import StreamQueryRedis
internal import StreamQueryShared
internal import Synchronization

/// A store that reports which of its calls may have ended a lease or an entry.
final class WatchedStore: SharedStore {
  private let store: RedisStore
  /// Gets the text of a key or of a mark, and the event.
  private let tell: @Sendable (String, String) -> Void
  private let clock = ContinuousClock()
  private let longest = Mutex(Duration.zero)

  /// Creates a store that watches another one.
  init(_ store: RedisStore, tell: @escaping @Sendable (String, String) -> Void) {
    self.store = store
    self.tell = tell
  }

  /// The duration of the slowest call to begin, to renew or to commit.
  var slowestCall: Duration { longest.withLock { $0 } }

  /// Makes a call and measures it; reports a call without an answer, because the store may have given or
  /// ended a lease all the same.
  private func watched<Value>(
    _ key: SharedKey,
    _ name: String,
    _ call: () async throws(SharedStoreError) -> Value
  ) async throws(SharedStoreError) -> Value {
    let start = clock.now
    defer {
      let time = clock.now - start
      longest.withLock { $0 = max($0, time) }
    }
    do {
      return try await call()
    } catch {
      tell(key.text, "unanswered \(name)")
      throw error
    }
  }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    try await watched(key, "begin") { () async throws(SharedStoreError) in
      try await store.begin(key, maxAge: maxAge, lease: lease)
    }
  }

  func renew(_ lease: SharedLease, for duration: Duration) async throws(SharedStoreError) -> Bool {
    try await watched(lease.key, "renewal") { () async throws(SharedStoreError) in
      try await store.renew(lease, for: duration)
    }
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    let version = try await watched(lease.key, "commit") { () async throws(SharedStoreError) in
      try await store.commit(value, with: lease, lifetime: lifetime)
    }
    if version == nil { tell(lease.key.text, "refused commit") }
    return version
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    tell(lease.key.text, "given back")
    try await store.abandon(lease, failure: failure)
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    tell(key.text, "ended by write")
    return try await store.write(value, for: key, lifetime: lifetime)
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    for mark in marks { tell(mark.text, "ended by invalidation") }
    return try await store.invalidate(marks)
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    try await store.changes(after: position, timeout: wait)
  }
}
