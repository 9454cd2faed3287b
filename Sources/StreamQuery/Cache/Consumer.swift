/// An observer as stored in the cache.
///
/// It holds no elements: a consumer pulls the newest frame that it has not seen. So memory is
/// constant however slow the consumer is, and the newest frame wins.
struct Consumer {
  /// The number of the consumer.
  ///
  /// It is unique until the same row has been used four thousand million times.
  private(set) var generation: UInt32 = 0
  var isLive = false
  /// What each look needs to know about the plan: whether it has options to evaluate, and whether
  /// it may have a stand-in for data.
  private(set) var isDynamic = false
  private(set) var hasPlaceholder = false
  var entry: Int32 = -1
  /// The consumer's position in its entry's list.
  var position: Int32 = -1
  private(set) var plan: ResolvedPlan?
  /// Increases with each arrival at an entry: the first observer refetches first.
  var arrival: UInt64 = 0
  var profile = ObserverProfile()
  /// When it started polling.
  var pollBase = Moment.distantPast
  /// The entry's settled count when it began to observe.
  var settledBase = SettledCounts.zero
  /// What it saw last.
  var seenVersion = UInt64.max
  var seenFlags = QueryFlags()
  /// The wait in `next`.
  var parked: Parked?
  /// Further waits, if several tasks iterate one stream.
  var alsoParked: [Parked] = []
  var nextFree: Int32 = -1

  // Several fields at once: every access to a row of the cache has a price, whatever it does.

  /// Assigns the row to a new consumer.
  ///
  /// - Parameters:
  ///   - plan: What is asked for.
  ///   - generation: What distinguishes it from all others.
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

  /// Hands out the plan before the row is given back.
  mutating func surrenderPlan() -> ResolvedPlan? { plan.take() }

  /// Moves to the list of another entry.
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
  /// - Parameter next: The row that was given back before this one.
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
