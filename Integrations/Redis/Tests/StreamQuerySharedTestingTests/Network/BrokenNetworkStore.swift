import StreamQueryShared
import StreamQuerySharedTesting
import Synchronization

/// A mistake in the store, or before it, as all nodes of a network see it.
final class BrokenNetworkStore: SharedStore {
  enum Mistake: CaseIterable {
    /// A commit is taken whose lease has ended.
    case doesNotFence
    /// Lost messages are not told of.
    case hidesGaps
    /// Everybody leads.
    case letsAllLead
    /// Everybody leads, once it has forgotten everything.
    case letsAllLeadAnew
    /// An invalidation is told of, but entries stay.
    case keepsInvalidatedEntries
    /// An invalidation is not told of.
    case keepsInvalidationsToItself
    /// An entry never grows older.
    case neverAges
    /// A lease never ends by itself.
    case keepsLeasesForEver
  }

  private let mistake: Mistake
  private let store: MemorySharedStore
  private let first: SharedHistory
  private let forever = Duration.seconds(1_000_000)

  init(_ mistake: Mistake, _ store: MemorySharedStore) {
    (self.mistake, self.store, first) = (mistake, store, store.model.history)
  }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    var (key, maxAge) = (key, maxAge)
    switch mistake {
    case .neverAges: maxAge = maxAge.map { _ in forever }
    case .keepsInvalidatedEntries: key.marks = []
    default: break
    }
    let begun = try await store.begin(
      key,
      maxAge: maxAge,
      lease: mistake == .keepsLeasesForEver ? forever : lease
    )
    switch begun {
    case .entry(var entry) where mistake == .neverAges:
      (entry.age, entry.requestAge) = (.zero, .zero)
      return .entry(entry)
    case .follows(_, _, let entry) where letsAllLead:
      return .leads(
        SharedLease(key: key, token: 0, history: store.model.history),
        entry: entry
      )
    default: return begun
    }
  }

  private var letsAllLead: Bool {
    switch mistake {
    case .letsAllLead: true
    case .letsAllLeadAnew: store.model.history != first
    default: false
    }
  }

  func renew(_ lease: SharedLease, for duration: Duration) async throws(SharedStoreError) -> Bool {
    let duration = mistake == .keepsLeasesForEver ? forever : duration
    return try await store.renew(lease, for: duration)
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    let version = try await store.commit(value, with: lease, lifetime: lifetime)
    guard version == nil, mistake == .doesNotFence || letsAllLead else {
      return version
    }
    return try await store.write(value, for: lease.key, lifetime: lifetime)
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    try await store.abandon(lease, failure: failure)
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try await store.write(value, for: key, lifetime: lifetime)
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    try await store.invalidate(marks)
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    var found = try await store.changes(after: position, timeout: wait)
    switch mistake {
    case .hidesGaps: found.isGap = false
    case .keepsInvalidationsToItself:
      found.messages.removeAll { if case .invalidated = $0.kind { true } else { false } }
    default: break
    }
    return found
  }
}
