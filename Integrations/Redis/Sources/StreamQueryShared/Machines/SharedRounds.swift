/// Decides what a fetch does next: take what is there, lead, follow, or go alone.
///
/// It begins as often as the truth changes under it, and for as long as others lead, both within
/// bounds: a fetch that has used up its rounds, or its time, asks upstream alone.
struct SharedRounds: Equatable, Sendable {
  /// What to do next.
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
  /// When it follows nobody any more.
  private let patienceEnd: Duration
  /// How many more rounds may be lost.
  private var roundsLeft: Int
  /// How old an entry may be; `nil` accepts none.
  private var maxAge: Duration?
  /// Entries up to this version are no news, whatever their age.
  private var outdated: SharedVersion?
  /// From when an entry must be.
  private let bounds: SharedBounds
  /// From when it must have been asked for, whatever is here: the client was told of a change that the
  /// store was not, or asks for an answer that is as new as the question; `nil` if neither.
  private let leastRequest: Duration?
  /// The version of the answer that it has already, if the store still has that or a later one.
  private var confirmed: SharedVersion?
  /// What it may take because it was stored since it began to wait.
  private var awaited: SharedPosition?
  /// Whether a lease has ended that was there when it began: later ones are newer than the fetch.
  private var hasOutlivedLease = false
  /// Added to the time since the start: the store's answer may be that much younger than its
  /// question.
  private let slack: Duration

  /// Creates the rounds of a fetch.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - maxAge: How old an entry may be; `nil` accepts none.
  ///   - outdated: The version of the data that is there already; `nil` if any will do.
  ///   - bounds: From when an entry must be.
  ///   - leastRequest: When it must have been asked for at the earliest; `nil` if that is no matter.
  ///   - answerTimeout: How long it follows others.
  ///   - chance: A random number in 0..<1: it follows them for up to half as long again.
  ///   - rounds: How many rounds it may lose.
  ///   - slack: How long a call may take.
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
  ///   - age: How old it was when it was stored.
  ///   - duration: How long it took to fetch it.
  ///   - askedAt: When the store was asked for it.
  /// - Returns: Whether it is young enough, and not older than what is here.
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
      // Who asks upstream waits for those who asked before, but does not take what they got.
      if maxAge != nil && leastRequest == nil || hasOutlivedLease,
        awaited == nil || awaited?.history != position.history
      {
        awaited = position
      }
      // A store that says that a lease has ended already is asked no more often than this.
      let wait = max(remaining, .milliseconds(10))
      return .follow(position, until: wait > patienceEnd - now ? patienceEnd : now + wait)
    }
  }

  /// The entry cannot be read, or is too old: only what has been stored since then may do.
  mutating func unusable(_ entry: SharedEntry) -> Step {
    guard roundsLeft > 0 else { return .alone(.outdated) }
    roundsLeft -= 1
    // The same entry is no younger when the store looks again.
    let step = Duration.microseconds(1)
    return .begin(maxAge: entry.age < step ? nil : entry.age - step)
  }

  /// The log told of the key, or the leader's time is over.
  mutating func heard(_ news: SharedNews, at now: Duration) -> Step {
    switch news {
    case .failed(let report) where awaited != nil: return .fail(report)
    case .unshareable where awaited != nil: return .alone(.unshareable)
    case .arrived, .free, .failed, .unshareable: hasOutlivedLease = true
    case .silence: break
    }
    guard now < patienceEnd else { return .alone(.impatient) }
    return .begin(maxAge: sinceStart(now))
  }

  /// The answer was outdated when it was there.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - entry: The version of the entry that it was; `nil` if it was fetched.
  /// - Returns: What to do next; `nil` if all rounds are lost, and there is no other answer.
  mutating func lost(at now: Duration, taken entry: SharedVersion? = nil) -> Step? {
    guard roundsLeft > 0 else { return entry == nil ? nil : .alone(.outdated) }
    roundsLeft -= 1
    // Whatever was stored since is as new as what this fetch could get.
    if maxAge == nil { maxAge = now - startedAt }
    outdated = entry
    return .begin(maxAge: maxAge)
  }

  /// The answer was there, but what changed meanwhile is not known: the store knows whether it is
  /// still valid.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - version: The version of the answer; `nil` if it has none.
  /// - Returns: What to do next; `nil` if all rounds are lost.
  mutating func unsure(at now: Duration, of version: SharedVersion?) -> Step? {
    guard let version else { return lost(at: now) }
    guard roundsLeft > 0 else { return nil }
    roundsLeft -= 1
    confirmed = version
    // By its version it is known to be young enough, although it is older by now.
    return .begin(maxAge: (maxAge ?? .zero) + (now - startedAt) + slack)
  }

  /// What was stored since it began to wait will do, however old the data may be.
  private func sinceStart(_ now: Duration) -> Duration? {
    guard awaited != nil else { return maxAge }
    return max(maxAge ?? .zero, now - startedAt + slack)
  }
}
