import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting

/// A store whose every call and answer is on its way for a while, as on a busy machine.
final class SlowSharedStore: SharedStore {
  private let store: any SharedStore
  private let clock: any Clock<Duration>
  private let delay: Duration

  init(_ store: any SharedStore, clock: any Clock<Duration>, delay: Duration) {
    (self.store, self.clock, self.delay) = (store, clock, delay)
  }

  private func slowly<Value>(
    _ call: () async throws(SharedStoreError) -> Value
  ) async throws(SharedStoreError) -> Value {
    try? await clock.sleep(for: delay)
    let value = try await call()
    try? await clock.sleep(for: delay)
    return value
  }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    try await slowly { () async throws(SharedStoreError) in
      try await store.begin(key, maxAge: maxAge, lease: lease)
    }
  }

  func renew(_ lease: SharedLease, for duration: Duration) async throws(SharedStoreError) -> Bool {
    try await slowly { () async throws(SharedStoreError) in
      try await store.renew(lease, for: duration)
    }
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    try await slowly { () async throws(SharedStoreError) in
      try await store.commit(value, with: lease, lifetime: lifetime)
    }
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    try await slowly { () async throws(SharedStoreError) in
      try await store.abandon(lease, failure: failure)
    }
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try await slowly { () async throws(SharedStoreError) in
      try await store.write(value, for: key, lifetime: lifetime)
    }
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    try await slowly { () async throws(SharedStoreError) in try await store.invalidate(marks) }
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    try await slowly { () async throws(SharedStoreError) in
      try await store.changes(after: position, timeout: wait)
    }
  }
}
