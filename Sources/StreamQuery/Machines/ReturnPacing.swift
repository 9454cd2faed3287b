/// Decides which reconnects and activations refetch, and when each entry does: see ``RefetchPacing``.
///
/// It also limits how long a report that the network is down is believed.
struct ReturnPacing: Equatable {
  /// A refetch of one entry, at a random moment of the time over which refetches are spread.
  struct Row: Equatable {
    let entry: EntryID
    let cause: FetchCause
    let due: Instant
  }

  /// A reconnect or activation for which entries are refetched later.
  struct Owed: Equatable {
    let cause: FetchCause
    /// The time of the last reconnect or activation that refetched: data that arrived since then is new
    /// enough.
    let since: Instant
  }

  /// The pacing of reconnects, or of activations.
  private struct Terms: Equatable {
    var coalescing = TimeSpan.zero
    var spreading = TimeSpan.zero
    /// The time of the newest reconnect or activation.
    var newest: Instant?
    /// The time of the newest reconnect or activation that refetched.
    var last: Instant?
    /// Whether another reconnect or activation came before ``end``, so that refetches follow at that time.
    var isOwed = false

    init(_ pacing: RefetchPacing) {
      coalescing = TimeSpan(pacing.coalescing)
      spreading = min(TimeSpan(pacing.spreading), .longest)
    }

    /// The time until which further reconnects or activations count as the same; `nil` is never.
    var end: Instant? { last.flatMap { $0 + coalescing } }

    /// Records a reconnect or activation; the result says whether it refetches.
    mutating func counts(at now: Instant) -> Bool {
      newest = now
      isOwed = last != nil && (end.map { now < $0 } ?? true)
      if !isOwed { last = now }
      return !isOwed
    }

    mutating func takeOwed(at now: Instant) -> Instant? {
      guard isOwed, let last, let end, end <= now else { return nil }
      isOwed = false
      return last
    }
  }

  private var reconnect: Terms
  private var activation: Terms
  /// How long a report that the network is down is believed; `nil` is until the next report.
  private let trust: TimeSpan?
  /// The time since which the network is reported to be down.
  private var offlineSince: Instant?
  /// Whether the report that the network is down is too old to be believed.
  private var isDoubted = false
  /// Whether a developer tool switches the network off, whatever the network's source reports.
  private var isForcedOffline = false
  /// The refetches that are spread over a time; the one that is due next is last.
  private(set) var rows: [Row] = []
  /// The time for which the client has set a timer.
  private var armed: Instant?

  init(
    reconnect: RefetchPacing = .off,
    activation: RefetchPacing = .off,
    trust: TimeSpan? = nil
  ) {
    self.reconnect = Terms(reconnect)
    self.activation = Terms(activation)
    self.trust = trust
  }

  // MARK: Reports and returns

  /// Takes a report that the network is up or down into account.
  ///
  /// - Returns: Whether this report brings back a network that already counted as up, because the last report
  ///   that it was down had become too old.
  mutating func reported(isOnline: Bool, at now: Instant) -> Bool {
    defer {
      offlineSince = isOnline ? nil : offlineSince ?? now
      if isOnline { isDoubted = false }
    }
    return isOnline && isDoubted
  }

  /// Lets a developer tool switch the network off, or believe the network's source again.
  mutating func forced(isOffline: Bool) { isForcedOffline = isOffline }

  /// Whether the network counts as up, after the reports so far.
  var isOnline: Bool { !isForcedOffline && (offlineSince == nil || isDoubted) }

  /// Takes a reconnect or activation into account.
  ///
  /// - Parameters:
  ///   - cause: `reconnect` or `active`.
  ///   - now: The time of the reconnect or activation.
  /// - Returns: Whether entries are refetched for it now.
  mutating func counts(_ cause: FetchCause, at now: Instant) -> Bool {
    cause == .reconnect ? reconnect.counts(at: now) : activation.counts(at: now)
  }

  /// Cancels the refetches at the end of the coalescing time, and those that are being spread, because all
  /// entries are refetched for another reason.
  mutating func owesNothing(for cause: FetchCause) {
    if cause == .reconnect { reconnect.isOwed = false } else { activation.isOwed = false }
    rows.removeAll { $0.cause == cause }
  }

  /// The time of the newest reconnect or activation; `nil` if there was none.
  ///
  /// Refetches that are still to come count for this event, even if an earlier event of its kind began them.
  func newest(_ cause: FetchCause) -> Instant? {
    cause == .reconnect ? reconnect.newest : activation.newest
  }

  /// Whether the refetches of a reconnect or activation are spread.
  func isSpreading(_ cause: FetchCause) -> Bool { spreading(cause) > .zero }

  private func spreading(_ cause: FetchCause) -> TimeSpan {
    cause == .reconnect ? reconnect.spreading : activation.spreading
  }

  /// Spreads the refetches of a reconnect or activation.
  ///
  /// The time is divided into *n* parts for *n* entries, and each entry refetches at a random moment of its
  /// part. An entry that waits for an earlier event of the same kind is refetched once, for this one. Events
  /// of the other kind have another policy, so entries that wait for those go on waiting.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - cause: `reconnect` or `active`.
  ///   - now: The time of the reconnect or activation.
  ///   - random: 64 random bits.
  mutating func spread(
    _ entries: [EntryID],
    _ cause: FetchCause,
    at now: Instant,
    random: UInt64
  ) {
    var generator = SplitMix64(seed: random)
    let share = Double(spreading(cause).nanoseconds) / Double(max(1, entries.count))
    let present = entries.shuffled(using: &generator).enumerated().map { index, entry in
      let part = Double(index) + generator.fraction()
      let delay = TimeSpan(.nanoseconds(Int64(part * share)))
      return Row(entry: entry, cause: cause, due: now + delay ?? now)
    }
    let seen = Set(entries)
    let others = rows.filter { $0.cause != cause || !seen.contains($0.entry) }
    rows = (others + present).sorted { $0.due > $1.due }
  }

  // MARK: Time

  /// The time for which to set a timer; `nil` if nothing is due, or if a timer is set for then or earlier.
  mutating func arm() -> Instant? {
    let mayDoubt = !isDoubted && !isForcedOffline
    let doubt = mayDoubt ? trust.flatMap { trust in offlineSince.flatMap { $0 + trust } } : nil
    let ends = [reconnect, activation].map { $0.isOwed ? $0.end : nil }
    guard let next = (ends + [rows.last?.due, doubt]).compactMap(\.self).min(),
      armed.map({ next < $0 }) ?? true
    else { return nil }
    armed = next
    return next
  }

  /// Forgets the timer that fired, unless the last timer was set for a later time.
  mutating func woke(at now: Instant) {
    if let armed, armed <= now { self.armed = nil }
  }

  /// Stops believing the report that the network is down if it is too old, and returns whether that happened
  /// now.
  mutating func takeDoubt(at now: Instant) -> Bool {
    guard !isDoubted, !isForcedOffline, let trust, let offlineSince,
      let end = offlineSince + trust, end <= now
    else { return false }
    isDoubted = true
    return true
  }

  /// Removes and returns the reconnects and activations whose postponed refetches are due now.
  mutating func takeOwed(at now: Instant) -> [Owed] {
    [
      reconnect.takeOwed(at: now).map { Owed(cause: .reconnect, since: $0) },
      activation.takeOwed(at: now).map { Owed(cause: .active, since: $0) },
    ].compactMap(\.self)
  }

  /// Removes and returns the spread refetches that are due.
  mutating func takeDue(at now: Instant) -> [Row] {
    var due: [Row] = []
    while let row = rows.last, row.due <= now {
      rows.removeLast()
      due.append(row)
    }
    return due
  }
}
