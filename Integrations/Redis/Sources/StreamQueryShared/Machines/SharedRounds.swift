/// Decides the next step of a fetch: take an entry, lead, follow, or ask alone.
///
/// It begins again when the data changes meanwhile, and while others lead, both within bounds: a
/// fetch that has used up its rounds, or its time, asks upstream alone.
struct SharedRounds: Equatable, Sendable {
  /// The next step.
  enum Step: Equatable, Sendable {
    /// Ask the store.
    case begin(maxAge: Duration?)
    /// Take the entry, if it can be read.
    case take(SharedEntry)
    /// Ask upstream for all.
    case lead(SharedLease)
    /// Wait for news of the key, until a time.
    case follow(SharedPosition, until: Duration)
    /// Ask upstream without a lease.
    case alone(SharedCacheEvent.Reason)
    /// Fail as the leader did.
    case fail(SharedFailure.Report)
  }

  private let startedAt: Duration
  /// The time after which the fetch does not wait for other machines any more.
  private let patienceEnd: Duration
  /// The number of rounds that may still be lost.
  private var roundsLeft: Int
  /// The maximum age of an entry; `nil` accepts none.
  private var maxAge: Duration?
  /// Entries up to this version are outdated at any age.
  private var outdated: SharedVersion?
  /// The bounds for an entry that may follow the present data.
  private let bounds: SharedBounds
  /// An entry must not have been requested before this time; `nil` if any time will do.
  ///
  /// The client knows of a change that the store does not know, or wants an answer that is as new as its
  /// request. This limit is in addition to ``bounds``.
  private let leastRequest: Duration?
  /// The version of an answer that the fetch has already.
  ///
  /// The answer is valid if the store still has it, or a later one.
  private var confirmed: SharedVersion?
  /// The position of the log when the fetch began to wait: it may take any entry that was stored
  /// after that.
  private var awaited: SharedPosition?
  /// Whether a lease from before the fetch has ended: later ones are newer than the fetch.
  private var hasOutlivedLease = false
  /// A margin for the time since the start, because the store may have measured an age this much
  /// later than it was asked.
  private let slack: Duration

  /// Creates the rounds of a fetch.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - maxAge: The maximum age of an entry; `nil` accepts none.
  ///   - outdated: The version of the present data; `nil` if any version will do.
  ///   - bounds: The bounds for an entry that may follow the present data.
  ///   - leastRequest: The earliest time of an entry's request; `nil` if there is none.
  ///   - answerTimeout: How long it follows others.
  ///   - chance: A random number in 0..<1; it lengthens that time by up to a half.
  ///   - rounds: The number of rounds that it may lose.
  ///   - slack: The maximum duration of a call.
  init(
    at now: Duration,
    maxAge: Duration?,
    outdated: SharedVersion?,
    bounds: SharedBounds = SharedBounds(),
    leastRequest: Duration? = nil,
    answerTimeout: Duration,
    chance: Double = 0,
    rounds: Int,
    slack: Duration
  ) {
    startedAt = now
    patienceEnd = now + answerTimeout + answerTimeout * (chance / 2)
    roundsLeft = rounds
    self.maxAge = maxAge
    self.outdated = outdated
    self.bounds = bounds
    self.leastRequest = leastRequest
    self.slack = slack
  }

  /// Whether an entry is an answer.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - age: The age of the entry when it was stored.
  ///   - duration: The duration of its fetch.
  ///   - askedAt: The time when the store was asked for it.
  /// - Returns: Whether it is young enough, and not older than the present data.
  func accepts(
    _ entry: SharedEntry,
    olderBy age: Duration,
    fetchedIn duration: Duration = .zero,
    askedAt: Duration = .zero
  ) -> Bool {
    if let confirmed, entry.version >= confirmed { return true }
    guard bounds.allow(entry, fetchedIn: duration, askedAt: askedAt, slack: slack) else {
      return false
    }
    let requested = entry.requested(fetchedIn: duration, askedAt: askedAt, slack: slack)
    if let leastRequest, requested < leastRequest { return false }
    if let outdated, entry.version <= outdated { return false }
    if let awaited, entry.version > awaited.version { return true }
    guard let maxAge else { return false }
    return entry.age + age <= maxAge
  }

  /// The first step.
  var first: Step { .begin(maxAge: maxAge) }

  /// The store answered.
  mutating func began(_ beginning: SharedBeginning, at now: Duration) -> Step {
    switch beginning {
    case .entry(let entry): return .take(entry)
    case .leads(let lease, entry: _): return .lead(lease)
    case .follows(let position, let remaining, entry: _):
      guard now < patienceEnd else { return .alone(.impatient) }
      // A fetch that must ask upstream waits for earlier leases, but does not take their values.
      if maxAge != nil && leastRequest == nil || hasOutlivedLease,
        awaited == nil || awaited?.history != position.history
      {
        awaited = position
      }
      // If the store reports a lease that has already ended, the wait has a minimum, so that there
      // are few requests.
      let wait = max(remaining, .milliseconds(10))
      return .follow(position, until: wait > patienceEnd - now ? patienceEnd : now + wait)
    }
  }

  /// The entry cannot be read, or is too old, so the fetch asks for a younger one.
  mutating func unusable(_ entry: SharedEntry) -> Step {
    guard roundsLeft > 0 else { return .alone(.outdated) }
    roundsLeft -= 1
    // At the next request the same entry is older, so it is not returned again.
    let step = Duration.microseconds(1)
    return .begin(maxAge: entry.age < step ? nil : entry.age - step)
  }

  /// The log had news of the key, or the leader's time is over.
  mutating func received(_ news: SharedNews, at now: Duration) -> Step {
    switch news {
    case .failed(let report) where awaited != nil: return .fail(report)
    case .unshareable where awaited != nil: return .alone(.unshareable)
    case .arrived, .free, .failed, .unshareable: hasOutlivedLease = true
    case .silence: break
    }
    guard now < patienceEnd else { return .alone(.impatient) }
    return .begin(maxAge: sinceStart(now))
  }

  /// The answer was outdated when it came.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - entry: The version, if the answer was an entry; `nil` if it was fetched.
  /// - Returns: The next step; `nil` if all rounds are lost, and there is no other answer.
  mutating func lost(at now: Duration, taken entry: SharedVersion? = nil) -> Step? {
    guard roundsLeft > 0 else { return entry == nil ? nil : .alone(.outdated) }
    roundsLeft -= 1
    // An entry that was stored since the fetch began is as new as an answer to this fetch.
    if maxAge == nil { maxAge = now - startedAt }
    outdated = entry
    return .begin(maxAge: maxAge)
  }

  /// The answer came, but it is not known whether something has changed meanwhile.
  ///
  /// The store is asked whether the answer is still valid.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - version: The version of the answer; `nil` if it has none.
  /// - Returns: The next step; `nil` if all rounds are lost.
  mutating func unsure(at now: Duration, of version: SharedVersion?) -> Step? {
    guard let version else { return lost(at: now) }
    guard roundsLeft > 0 else { return nil }
    roundsLeft -= 1
    confirmed = version
    // The version is young enough, although the entry has grown older since.
    return .begin(maxAge: (maxAge ?? .zero) + (now - startedAt) + slack)
  }

  /// The maximum age that accepts each entry which was stored since the fetch began to wait.
  private func sinceStart(_ now: Duration) -> Duration? {
    guard awaited != nil else { return maxAge }
    return max(maxAge ?? .zero, now - startedAt + slack)
  }
}
