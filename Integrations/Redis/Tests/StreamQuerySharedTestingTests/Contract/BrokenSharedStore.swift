import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import Synchronization

/// A store with one mistake.
final class BrokenSharedStore: SharedStore {
  enum Mistake: CaseIterable {
    case isNeverEmpty
    case cutsValues
    case forgetsForms
    case keepsTheFirst
    case ignoresCase
    case neverAges
    case acceptsAnyAge
    case acceptsEntriesWithoutAge
    case keepsEntriesForEver
    case letsAllLead
    case keepsLeasesForEver
    case repeatsTokens
    case doesNotRenew
    case takesLateCommits
    case takesSecondCommits
    case abandonsAnything
    case doesNotAbandon
    case ignoresHistories
    case ignoresTokens
    case invalidatesTheFirstMarkOnly
    case invalidatesEverything
    case keepsInvalidatedLeases
    case keepsLeasesOfWrittenKeys
    case takesTheMarksOfReaders
    case takesTheMarksOfCommits
    case takesTheMarksOfLeasesOnly
    case returnsOldVersions
    case forgetsFailures
    case logsTwice
    case losesMessages
    case readsOnceAndSleeps
    case waitsForEver
    case neverWaits
    case isDeaf
    case hidesGaps
    case hidesLostMessages
    case hidesMore
    case alwaysHasMore

    /// The rule that it breaks.
    var rule: SharedStoreRule {
      switch self {
      case .isNeverEmpty: .startsEmpty
      case .cutsValues, .forgetsForms: .keepsBytes
      case .keepsTheFirst: .replaces
      case .ignoresCase: .keepsApart
      case .neverAges, .acceptsAnyAge: .measuresAges
      case .acceptsEntriesWithoutAge: .acceptsNoAge
      case .keepsEntriesForEver: .endsLifetimes
      case .letsAllLead: .oneLeads
      case .keepsLeasesForEver, .repeatsTokens: .endsLeases
      case .doesNotRenew: .renews
      case .takesLateCommits, .abandonsAnything: .fences
      case .takesSecondCommits: .commitsOnce
      case .doesNotAbandon: .abandons
      case .ignoresHistories, .ignoresTokens: .refusesForgeries
      case .invalidatesTheFirstMarkOnly, .invalidatesEverything: .invalidates
      case .keepsInvalidatedLeases: .invalidatesLeases
      case .keepsLeasesOfWrittenKeys: .writesEndLeases
      case .takesTheMarksOfReaders, .takesTheMarksOfCommits: .keepsMarks
      case .takesTheMarksOfLeasesOnly: .heedsReaders
      case .returnsOldVersions: .versionsRise
      case .forgetsFailures, .logsTwice: .logsChanges
      case .losesMessages, .hidesLostMessages: .losesNothingSilently
      case .readsOnceAndSleeps: .wakesReaders
      case .waitsForEver, .neverWaits: .waitsNoLonger
      case .isDeaf: .leavesWhenCancelled
      case .hidesGaps: .tellsOfGaps
      case .hidesMore, .alwaysHasMore: .saysWhetherThereIsMore
      }
    }
  }

  private struct Known {
    var leases: [String: SharedLease] = [:]
    var entries: [String: SharedEntry] = [:]
    var marks: Set<SharedMark> = []
    var keys: [String: SharedKey] = [:]
    var first: SharedVersion?
    /// How the last lease of a key ended.
    var endings: [String: Ending] = [:]
  }

  private enum Ending {
    case committed
    case invalidated
    case written
  }

  private let mistake: Mistake
  private let memory: MemorySharedStore
  private let known = Mutex(Known())

  private let scheduling: Scheduling

  init(_ mistake: Mistake, _ memory: MemorySharedStore, _ scheduling: Scheduling) {
    (self.mistake, self.memory, self.scheduling) = (mistake, memory, scheduling)
  }

  private var forever: Duration { .seconds(1_000_000) }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    var (key, maxAge, lease) = (key, maxAge, lease)
    switch mistake {
    case .ignoresCase: key.text = key.text.lowercased()
    case .acceptsAnyAge where maxAge != nil: maxAge = forever
    case .acceptsEntriesWithoutAge: maxAge = maxAge ?? forever
    case .keepsLeasesForEver: lease = forever
    case .takesTheMarksOfLeasesOnly:
      key.marks = known.withLock { $0.keys[key.text]?.marks } ?? key.marks
    default: break
    }
    if mistake == .takesTheMarksOfReaders {
      let invalidated = known.withLock { $0.marks }
      if let entry = known.withLock({ $0.entries[key.text] }), maxAge != nil,
        invalidated.isDisjoint(with: key.marks)
      {
        return .entry(entry)
      }
    }
    let begun = try await memory.begin(key, maxAge: maxAge, lease: lease)
    return try await changed(begun, key, lease)
  }

  private func changed(
    _ begun: SharedBeginning,
    _ key: SharedKey,
    _ duration: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    switch (mistake, begun) {
    case (.isNeverEmpty, .leads(let lease, nil)):
      let version = SharedVersion(milliseconds: 1, sequence: 0)
      let entry = SharedEntry(value: SharedValue([], form: "form"), version: version, age: .zero)
      return .leads(lease, entry: entry)
    case (.forgetsForms, .entry(var entry)):
      entry.value.form = "form"
      return .entry(entry)
    case (.neverAges, .entry(var entry)):
      entry.age = .zero
      return .entry(entry)
    case (.letsAllLead, .follows(_, _, let entry)):
      let lease = known.withLock { $0.leases[key.text] }
      return lease.map { .leads($0, entry: entry) } ?? begun
    case (.repeatsTokens, .leads(var lease, let entry)):
      known.withLock { $0.leases[key.text] = lease }
      lease.token = 7
      return .leads(lease, entry: entry)
    case (_, .leads(let lease, _)):
      known.withLock { known in
        known.leases[key.text] = lease
        known.keys[key.text] = key
        known.endings[key.text] = nil
      }
      return begun
    default: return begun
    }
  }

  func renew(
    _ lease: SharedLease,
    for duration: Duration
  ) async throws(SharedStoreError) -> Bool {
    switch mistake {
    case .doesNotRenew: return true
    case .ignoresHistories, .ignoresTokens, .repeatsTokens, .ignoresCase:
      return try await memory.renew(forged(lease), for: duration)
    default: return try await memory.renew(lease, for: duration)
    }
  }

  /// What a store takes it for that does not look closely.
  private func forged(_ lease: SharedLease) -> SharedLease {
    var lease = lease
    switch mistake {
    case .ignoresHistories: lease.history = memory.model.history
    case .ignoresTokens, .repeatsTokens:
      lease.token = known.withLock { $0.leases[lease.key.text]?.token } ?? lease.token
    case .ignoresCase: lease.key.text = lease.key.text.lowercased()
    default: break
    }
    return lease
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    var (value, lifetime) = (value, lifetime)
    switch mistake {
    case .cutsValues: value.bytes = Array(value.bytes.prefix(60_000))
    case .keepsEntriesForEver: lifetime = forever
    case .takesTheMarksOfCommits:
      // A write has the marks that its caller names.
      guard try await memory.renew(lease, for: lifetime) else { return nil }
      return try await memory.write(value, for: lease.key, lifetime: lifetime)
    default: break
    }
    let version = try await memory.commit(value, with: forged(lease), lifetime: lifetime)
    if let version, mistake == .takesTheMarksOfReaders {
      let entry = SharedEntry(value: value, version: version, age: .zero)
      known.withLock { $0.entries[lease.key.text] = entry }
    }
    if version != nil {
      known.withLock { $0.endings[lease.key.text] = .committed }
      return version
    }
    let last = known.withLock { $0.leases[lease.key.text] }
    let ending = known.withLock { $0.endings[lease.key.text] }
    guard let last, last.history == lease.history, lease.token <= last.token else { return nil }
    switch (mistake, ending) {
    case (.takesLateCommits, _) where lease.token + 1 == last.token,
      (.takesSecondCommits, .committed) where lease == last,
      (.keepsInvalidatedLeases, .invalidated) where lease == last,
      (.keepsLeasesOfWrittenKeys, .written) where lease == last:
      return try await memory.write(value, for: lease.key, lifetime: lifetime)
    default: return nil
    }
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    switch mistake {
    case .doesNotAbandon: return
    case .forgetsFailures: try await memory.abandon(lease, failure: nil)
    case .abandonsAnything:
      let last = known.withLock { $0.leases[lease.key.text] }
      try await memory.abandon(last ?? lease, failure: failure)
    default: try await memory.abandon(forged(lease), failure: failure)
    }
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    var (key, lifetime) = (key, lifetime)
    switch mistake {
    case .ignoresCase: key.text = key.text.lowercased()
    case .keepsEntriesForEver: lifetime = forever
    case .keepsTheFirst:
      if case .entry(let entry) = try await memory.begin(key, maxAge: forever, lease: .zero) {
        return entry.version
      }
    default: break
    }
    let version = try await memory.write(value, for: key, lifetime: lifetime)
    known.withLock { $0.endings[key.text] = .written }
    if mistake == .logsTwice { return try await memory.write(value, for: key, lifetime: lifetime) }
    return version
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    var marks = marks
    switch mistake {
    case .invalidatesTheFirstMarkOnly: marks = Array(marks.prefix(1))
    case .invalidatesEverything: marks += known.withLock { $0.keys.values.flatMap(\.marks) }
    default: break
    }
    let version = try await memory.invalidate(marks)
    return known.withLock { known in
      known.marks.formUnion(marks)
      for (text, key) in known.keys where !known.marks.isDisjoint(with: key.marks) {
        known.endings[text] = .invalidated
      }
      known.first = known.first ?? version
      return mistake == .returnsOldVersions ? known.first ?? version : version
    }
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    var wait = wait
    switch mistake {
    case .waitsForEver where wait > .zero: wait = .seconds(1000)
    case .neverWaits: wait = .zero
    case .isDeaf:
      let (memory, wait) = (memory, wait)
      let found = Task(executorPreference: scheduling.executor) {
        try await memory.changes(after: position, timeout: wait)
      }
      do { return try await found.value } catch { throw .cancelled }
    case .readsOnceAndSleeps where wait > .zero:
      let found = try await memory.changes(after: position, timeout: .zero)
      if !found.messages.isEmpty || found.isGap { return found }
      do { try await scheduling.clock.sleep(for: wait) } catch { throw .cancelled }
      return found
    default: break
    }
    var found = try await memory.changes(after: position, timeout: wait)
    switch mistake {
    case .losesMessages where found.messages.count > 3: found.messages.remove(at: 1)
    case .hidesMore: found.hasMore = false
    case .alwaysHasMore: found.hasMore = true
    case .hidesGaps where found.isGap: found.isGap = false
    case .hidesLostMessages where position?.history == memory.model.history: found.isGap = false
    default: break
    }
    return found
  }
}
