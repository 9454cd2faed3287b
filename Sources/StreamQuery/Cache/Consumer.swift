/// An observer as it lies in the cache.
///
/// It holds no element: a consumer pulls the newest frame that it has not seen, so memory is constant
/// however slow it is, and newest wins.
struct Consumer {
  /// The number of the consumer, which no other one has, but after four thousand million others in this
  /// very row.
  private(set) var generation: UInt32 = 0
  var isLive = false
  /// What is asked of the plan with each look: whether options have to be asked, and something may
  /// stand in for data.
  private(set) var isDynamic = false
  private(set) var hasPlaceholder = false
  var entry: Int32 = -1
  /// Where the consumer stands in its entry's list.
  var position: Int32 = -1
  private(set) var plan: ResolvedPlan?
  /// Grows with each arrival at an entry: who came first refetches first.
  var arrival: UInt64 = 0
  var profile = ObserverProfile()
  /// Since when it polls.
  var pollBase = Moment.distantPast
  /// The entry's settled count when it began to watch.
  var settledBase = SettledCounts.zero
  /// What it saw last.
  var seenVersion = UInt64.max
  var seenFlags = QueryFlags()
  /// The wait in `next`.
  var parked: Parked?
  /// Further waits: only if several tasks iterate one stream.
  var alsoParked: [Parked] = []
  var nextFree: Int32 = -1

  // Several fields at once: each look at a row of the cache has a price, whatever is done with it.

  /// Takes the row for somebody new.
  ///
  /// - Parameters:
  ///   - plan: What is asked for.
  ///   - generation: What tells it from all others.
  mutating func occupy(with plan: ResolvedPlan, _ generation: UInt32) {
    isLive = true
    self.generation = generation
    follow(plan)
  }

  /// Asks for something else from now on.
  mutating func follow(_ plan: ResolvedPlan) {
    self.plan = plan
    isDynamic = plan.isDynamic
    hasPlaceholder = plan.plan.placeholder != nil
  }

  /// Hands out the plan, before the row is given back.
  mutating func surrenderPlan() -> ResolvedPlan? { plan.take() }

  /// Stands in the list of another entry.
  mutating func stand(
    at entry: Int,
    _ position: Int,
    as profile: ObserverProfile,
    arrival: UInt64,
    at now: Moment,
    _ counts: SettledCounts
  ) {
    self.entry = Int32(truncatingIfNeeded: entry)
    self.position = Int32(truncatingIfNeeded: position)
    self.profile = profile
    self.arrival = arrival
    pollBase = now
    settledBase = counts
  }

  /// Gives the row back.
  ///
  /// - Parameter next: The row that was given back before.
  mutating func vacate(next: Int32) {
    isLive = false
    entry = -1
    position = -1
    plan = nil
    seenVersion = .max
    seenFlags = QueryFlags()
    parked = nil
    if !alsoParked.isEmpty { alsoParked = [] }
    nextFree = next
  }
}
