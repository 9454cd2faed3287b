internal import StreamQueryShared

/// A trial of one rule on one store.
final class SharedStoreTrial<Store: SharedStore> {
  /// The time within which a cancelled reader must leave, even on a busy machine.
  static var limit: Duration { .seconds(30) }
  /// The time of a lease that should not end, and of an entry that should stay.
  let long: Duration
  /// The time of a lease or an entry that should end.
  let short: Duration
  let store: Store
  let clock: any Clock<Duration>
  let logLength: Int
  /// The violations of the store.
  private(set) var seen: [String] = []
  /// The sum of the times for which the trial meant to sleep.
  private var slept = Duration.zero
  /// Whether the steps of the trial took so long that a lease or an entry with a short time may have ended
  /// before a step found it.
  private(set) var isLate = false

  /// Creates a trial with times that are longer by the factor `pace`.
  init(store: Store, clock: any Clock<Duration>, logLength: Int, pace: Int = 1) {
    (self.store, self.clock, self.logLength) = (store, clock, logLength)
    (long, short) = (.seconds(60) * pace, .milliseconds(150) * pace)
  }

  /// Tries a rule, and records whether there was enough time for it.
  func run(_ rule: SharedStoreRule) async {
    let time = await time {
      do {
        try await perform(rule)
      } catch {
        saw("it threw: \(error)")
      }
    }
    isLate = time - slept > short / 4
  }

  func sleep(for duration: Duration) async throws {
    slept += duration
    try await clock.sleep(for: duration)
  }

  func saw(_ text: String) { seen.append(text) }

  func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { saw(text()) }
  }

  // MARK: Values

  let key = SharedTrialKeys.key("k", tags: "tag", "other")

  static func value(_ text: String) -> SharedValue { SharedValue(Array(text.utf8), form: "form") }

  static func text(_ entry: SharedEntry?) -> String {
    entry.map { String(decoding: $0.value.bytes, as: UTF8.self).debugDescription } ?? "nothing"
  }

  // MARK: Steps

  func begin(
    _ key: SharedKey? = nil,
    maxAge: Duration? = nil,
    lease: Duration? = nil
  ) async throws -> SharedBeginning {
    try await store.begin(key ?? self.key, maxAge: maxAge, lease: lease ?? long)
  }

  /// Takes the lease of a key; nobody else may have it.
  func lead(_ key: SharedKey? = nil, for lease: Duration? = nil) async throws -> SharedLease {
    let begun = try await begin(key, lease: lease)
    guard case .leads(let lease, _) = begun else { throw SharedTrialProblem.doesNotLead(begun) }
    return lease
  }

  func commit(_ text: String, with lease: SharedLease) async throws -> SharedVersion? {
    try await store.commit(Self.value(text), with: lease, lifetime: long)
  }

  /// Takes the lease of a key, and commits a value.
  func put(_ text: String, for key: SharedKey? = nil) async throws -> SharedVersion {
    guard let version = try await commit(text, with: try await lead(key)) else {
      throw SharedTrialProblem.refused
    }
    return version
  }

  func write(_ text: String, for key: SharedKey? = nil) async throws -> SharedVersion {
    try await store.write(Self.value(text), for: key ?? self.key, lifetime: long)
  }

  /// The valid entry of a key; if this call gets a lease instead, it abandons the lease.
  func entry(_ key: SharedKey? = nil) async throws -> SharedEntry? {
    switch try await begin(key, maxAge: long) {
    case .entry(let entry): return entry
    case .follows(_, _, let entry): return entry
    case .leads(let lease, let entry):
      try await store.abandon(lease, failure: nil)
      return entry
    }
  }

  func expectEntry(_ text: String?, of key: SharedKey? = nil, after step: String) async throws {
    let found = Self.text(try await entry(key))
    let wanted = text?.debugDescription ?? "nothing"
    expect(found == wanted, "after \(step), there was \(found) instead of \(wanted)")
  }

  /// Checks that a lease is not valid any more: its renewal and its commit must have no effect.
  func expectEnded(_ lease: SharedLease, after step: String) async throws {
    expect(!(try await store.renew(lease, for: long)), "after \(step), it was renewed")
    let version = try await commit("late", with: lease)
    expect(version == nil, "after \(step), its commit was taken")
  }

  /// Checks that a caller gets the next lease, with a higher token.
  func expectLead(after lease: SharedLease, and step: String) async throws {
    switch try await begin() {
    case .leads(let next, _):
      expect(
        next.token > lease.token,
        "token \(next.token) came after token \(lease.token)"
      )
    case .entry, .follows: saw("after \(step), nobody else could lead")
    }
  }

  /// All messages after a position.
  func messages(after position: SharedPosition) async throws -> [SharedMessage] {
    var (position, messages) = (position, [SharedMessage]())
    while true {
      let found = try await store.changes(after: position, timeout: .zero)
      if found.isGap { throw SharedTrialProblem.gap }
      if found.messages.isEmpty { return messages }
      messages += found.messages
      position = found.position
    }
  }

  func end() async throws -> SharedPosition {
    try await store.changes(after: nil, timeout: .zero).position
  }

  /// The duration of a step by the clock.
  func time(_ step: () async throws -> Void) async rethrows -> Duration {
    try await Self.time(on: clock, step)
  }

  private static func time<C: Clock<Duration>>(
    on clock: C,
    _ step: () async throws -> Void
  ) async rethrows -> Duration {
    let start = clock.now
    try await step()
    return start.duration(to: clock.now)
  }
}

/// The keys of trials.
enum SharedTrialKeys {
  static func key(_ text: String, tags: String...) -> SharedKey {
    SharedKey(text, marks: [SharedMark("key/\(text)")] + tags.map { SharedMark("tag/\($0)") })
  }
}

/// The reason why a trial could not go on.
enum SharedTrialProblem: Error {
  case doesNotLead(SharedBeginning)
  case refused
  case gap
}
