/// Which returns of the network and the app refetch, and when which entry does: see ``RefetchPacing``.
struct ReturnPacing: Equatable {
  /// An entry whose refetch is spread.
  struct Row: Equatable {
    let entry: EntryID
    let cause: FetchCause
    let due: Instant
  }

  /// The terms of one kind of return.
  private struct Terms: Equatable {
    var coalescing = TimeSpan.zero
    var spreading = TimeSpan.zero
    /// The newest return that refetched.
    var last: Instant?

    init(_ pacing: RefetchPacing) {
      coalescing = TimeSpan(pacing.coalescing)
      spreading = min(TimeSpan(pacing.spreading), .longest)
    }

    /// A return; whether it refetches.
    mutating func counts(at now: Instant) -> Bool {
      // Without an end, the first return is the only one.
      if let last, (last + coalescing).map({ now < $0 }) ?? true { return false }
      last = now
      return true
    }
  }

  /// Since when the network is reported to be away.
  var offlineSince: Instant?
  private var reconnect: Terms
  private var activation: Terms
  /// What is left of the newest return that was spread; the one that is due next is last.
  private(set) var rows: [Row] = []
  /// The number of that return.
  private(set) var number = 0

  init(reconnect: RefetchPacing = .off, activation: RefetchPacing = .off) {
    self.reconnect = Terms(reconnect)
    self.activation = Terms(activation)
  }

  /// The network or the app is back.
  ///
  /// - Parameters:
  ///   - cause: Which of them.
  ///   - now: The time.
  /// - Returns: Whether entries are refetched for it.
  mutating func counts(_ cause: FetchCause, at now: Instant) -> Bool {
    cause == .reconnect ? reconnect.counts(at: now) : activation.counts(at: now)
  }

  /// Whether the refetches of a return are spread.
  func isSpreading(_ cause: FetchCause) -> Bool { spreading(cause) > .zero }

  private func spreading(_ cause: FetchCause) -> TimeSpan {
    cause == .reconnect ? reconnect.spreading : activation.spreading
  }

  /// Spreads the refetches of a return; what is left of an earlier one is replaced.
  ///
  /// Each of *n* entries has its own *n*th of the time, and a random moment in it.
  ///
  /// - Parameters:
  ///   - entries: The entries.
  ///   - cause: The return.
  ///   - now: The time.
  ///   - random: 64 random bits.
  mutating func spread(
    _ entries: [EntryID],
    _ cause: FetchCause,
    at now: Instant,
    random: UInt64
  ) {
    number += 1
    var generator = Generator(state: random)
    let share = Double(spreading(cause).nanoseconds) / Double(max(1, entries.count))
    let present = entries.shuffled(using: &generator).enumerated().map { place, entry in
      let part = Double(place) + Double(generator.next() >> 11) * 0x1p-53
      let delay = TimeSpan(.nanoseconds(Int64(part * share)))
      return Row(entry: entry, cause: cause, due: now + delay ?? now)
    }
    // Of a return of the other kind; who comes in both is refetched once.
    let seen = Set(entries)
    let others = rows.filter { !seen.contains($0.entry) }
    rows = (others + present).sorted { $0.due > $1.due }
  }

  /// When the next refetch is due; `nil` if none is left, or there was another return since.
  ///
  /// - Parameter number: The number of the return.
  /// - Returns: The time.
  func next(of number: Int) -> Instant? { number == self.number ? rows.last?.due : nil }

  /// Takes the refetches that are due.
  mutating func takeDue(at now: Instant) -> [Row] {
    var due: [Row] = []
    while let row = rows.last, row.due <= now {
      rows.removeLast()
      due.append(row)
    }
    return due
  }

  /// SplitMix64: few numbers of one seed, the same everywhere.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
  }
}
