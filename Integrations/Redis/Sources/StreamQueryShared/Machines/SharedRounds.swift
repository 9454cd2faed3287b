/// Decides the next step of a fetch: take an entry, lead, follow, or ask alone.
///
/// A fetch begins again if its answer is outdated, and after it has waited for another machine. If it
/// has used up its rounds or its time, it asks upstream for this machine alone.
struct SharedRounds: Equatable, Sendable {
  /// The next step.
  enum Step: Equatable, Sendable {
    /// Ask the store for the entry or the lease.
    case begin(maxAge: Duration?)
    /// Take the entry, if it can be read.
    case take(SharedEntry)
    /// Ask upstream for all machines, with the lease.
    case lead(SharedLease)
    /// Wait until this time for a message about the key after this position of the log.
    case follow(SharedPosition, until: Duration)
    /// Ask upstream without a lease.
    case alone(SharedCacheEvent.Reason)
    /// Fail with the error that the machine with the lease has reported.
    case fail(SharedFailure.Report)
  }

  private let startedAt: Duration
  /// The time after which the fetch does not wait for other machines any more.
  private let patienceEnd: Duration
  /// How often the fetch may still begin again after an answer that it cannot use.
  private var roundsLeft: Int
  /// The maximum age of an entry; `nil` accepts none.
  private var maxAge: Duration?
  /// Entries with this version or a lower one are not accepted, whatever their age.
  private var outdated: SharedVersion?
  /// The bounds for an entry that may replace the present data.
  private let bounds: SharedBounds
  /// An entry must not have been requested before this time; `nil` if any time will do.
  ///
  /// It is set if the client knows of a change that the store does not know, or wants an answer that is as
  /// new as the client's request. This limit is in addition to ``bounds``.
  private let leastRequest: Duration?
  /// The version of an answer that the fetch has, but that may be outdated.
  ///
  /// The fetch accepts the store's entry if the entry has this version or a later one.
  private var confirmed: SharedVersion?
  /// The position of the log when the fetch began to wait; the fetch may take any entry that was
  /// stored after this position.
  private var awaited: SharedPosition?
  /// Whether a lease has ended since the fetch began.
  ///
  /// A later lease began after the fetch, so its value is new enough.
  private var hasOutlivedLease = false
  /// The longest duration of a call: the store may measure an entry's age this much later than the fetch
  /// asked.
  private let slack: Duration

  /// Creates the rounds of a fetch.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - maxAge: The maximum age of an entry; `nil` accepts none.
  ///   - outdated: The version of the present data; `nil` if any version will do.
  ///   - bounds: The bounds for an entry that may replace the present data.
  ///   - leastRequest: The earliest time of an entry's request; `nil` if there is none.
  ///   - answerTimeout: How long the fetch waits for other machines.
  ///   - chance: A random number in 0..<1, which lengthens `answerTimeout` by up to a half.
  ///   - rounds: How often the fetch may begin again after an answer that it cannot use.
  ///   - slack: The longest duration of a call of the store.
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

  /// Whether an entry answers the fetch.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - age: The age of the entry's value when it was stored.
  ///   - duration: How long the fetch of the entry took.
  ///   - askedAt: The time when this machine asked the store for the entry.
  /// - Returns: Whether the entry is young enough, and not older than the present data.
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

  /// Decides the next step after the store has answered ``Step/begin(maxAge:)``.
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
      // The wait has a minimum, because the store may report a lease that has already ended. Without it,
      // there would be many requests.
      let wait = max(remaining, .milliseconds(10))
      return .follow(position, until: wait > patienceEnd - now ? patienceEnd : now + wait)
    }
  }

  /// Asks for a younger entry, because this one cannot be read or is too old.
  mutating func unusable(_ entry: SharedEntry) -> Step {
    guard roundsLeft > 0 else { return .alone(.outdated) }
    roundsLeft -= 1
    // At the next request the same entry is older, so it is not returned again.
    let step = Duration.microseconds(1)
    return .begin(maxAge: entry.age < step ? nil : entry.age - step)
  }

  /// Decides the next step after news of the log about the key, or after the time to wait is over.
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

  /// Decides the next step after an answer that was outdated when it came.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - entry: The version, if the answer was an entry; `nil` if it came from upstream.
  /// - Returns: The next step; `nil` if the answer came from upstream, and no round is left.
  mutating func lost(at now: Duration, taken entry: SharedVersion? = nil) -> Step? {
    guard roundsLeft > 0 else { return entry == nil ? nil : .alone(.outdated) }
    roundsLeft -= 1
    // An entry that was stored since the fetch began is as new as an answer to this fetch.
    if maxAge == nil { maxAge = now - startedAt }
    outdated = entry
    return .begin(maxAge: maxAge)
  }

  /// Decides the next step after an answer, if this peer may have missed changes since its request.
  ///
  /// The fetch asks the store whether the answer is still valid.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - version: The version of the answer; `nil` if it has none.
  /// - Returns: The next step; `nil` if no round is left.
  mutating func unsure(at now: Duration, of version: SharedVersion?) -> Step? {
    guard let version else { return lost(at: now) }
    guard roundsLeft > 0 else { return nil }
    roundsLeft -= 1
    confirmed = version
    // The fetch has already accepted this version, so the maximum age grows by the time since the fetch
    // began.
    return .begin(maxAge: (maxAge ?? .zero) + (now - startedAt) + slack)
  }

  /// The maximum age for the next request; if the fetch has waited, all entries since its start are accepted.
  private func sinceStart(_ now: Duration) -> Duration? {
    guard awaited != nil else { return maxAge }
    return max(maxAge ?? .zero, now - startedAt + slack)
  }
}
