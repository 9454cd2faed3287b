/// When the elements of a query's own trigger stream refetch: see ``RefetchPacing``.
///
/// | told | nothing is due | a refetch is due |
/// |---|---|---|
/// | `heard` | a refetch is due: now, at the end of the time, or later at random | that one will do |
/// | `refetched` | – | nothing is due |
struct TriggerPacing: Equatable {
  private let coalescing: TimeSpan
  private let spreading: TimeSpan
  private var last: Instant?
  private var isDue = false

  init(_ pacing: RefetchPacing) {
    coalescing = TimeSpan(pacing.coalescing)
    spreading = min(TimeSpan(pacing.spreading), .longest)
  }

  /// Whether each element refetches at once.
  var isOff: Bool { coalescing == .zero && spreading == .zero }

  /// An element has come.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - random: 64 random bits.
  /// - Returns: When it refetches; `nil` if another refetch will do, or if it is never.
  mutating func heard(at now: Instant, random: UInt64) -> Instant? {
    guard !isDue else { return nil }
    var start = now
    if let last {
      guard let end = last + coalescing else { return nil }
      start = max(now, end)
    }
    isDue = true
    guard spreading > .zero else { return start }
    var generator = SplitMix64(seed: random)
    let delay = generator.fraction() * Double(spreading.nanoseconds)
    return start + TimeSpan(.nanoseconds(Int64(delay))) ?? start
  }

  /// What was due has refetched.
  mutating func refetched(at now: Instant) {
    isDue = false
    last = now
  }
}
