/// What one observer asks of an entry, with every option resolved and every closure answered.
///
/// Observers of equal profiles are counted together, so that an entry's decisions cost as much for
/// ten thousand observers as for one.
package struct ObserverProfile: Hashable, Sendable {
  /// Whether the observer fetches by itself.
  package var isEnabled = true
  /// When data is stale for this observer.
  package var freshness = Freshness.after(.zero)
  /// Whether a subscription refetches cached data.
  package var onSubscribe = RefetchPolicy.ifStale
  /// Whether a reconnect refetches.
  package var onReconnect = RefetchPolicy.ifStale
  /// Whether becoming active refetches.
  package var onActive = RefetchPolicy.ifStale
  /// Whether a subscription tries again what failed and has no data.
  package var retriesOnSubscribe = true
  /// The polling interval; infinite is off.
  package var interval = Span.infinite
  /// The polling interval in the background; infinite is off.
  package var backgroundInterval = Span.infinite
  /// Retention if this observer leaves last; `nil` leaves it to the entry.
  package var gcTime: Span?
  /// How long a fetch outlives this observer; `nil` leaves it to the fetch.
  package var linger: Span?

  /// Creates the profile of an observer with default options.
  package init() {}

  /// Whether the observer may poll.
  var polls: Bool { isEnabled && !(interval.isInfinite && backgroundInterval.isInfinite) }

  /// Whether the observer polls while the app is inactive.
  var pollsInBackground: Bool {
    isEnabled && backgroundInterval > .zero && !backgroundInterval.isInfinite
  }

  /// The interval that holds at present; infinite is none.
  func interval(isActive: Bool) -> Span { isActive ? interval : backgroundInterval }
}

/// Observers of one entry with equal profiles.
struct ObserverGroup: Equatable, Sendable {
  var profile: ObserverProfile
  var count = 0
  /// When polling observers began, as far as no fetch has set the rhythm since; in order.
  var bases: [Moment] = []

  /// Since when the group polls: those whose base is not kept follow the last beat.
  func base(after lastBeat: Moment) -> Moment {
    bases.count < count ? lastBeat : bases.first ?? lastBeat
  }

  /// Keeps a base, in order; most come last.
  mutating func insert(_ base: Moment) {
    let position = bases.last.map { $0 <= base } ?? true ? bases.count : position(after: base)
    bases.insert(base, at: position)
  }

  /// Forgets one base of this time; there is none if its observer follows the last beat.
  mutating func remove(_ base: Moment) {
    let position = position(after: base) - 1
    if position >= 0, bases[position] == base { bases.remove(at: position) }
  }

  private func position(after base: Moment) -> Int {
    var low = 0
    var high = bases.count
    while low < high {
      let middle = low + (high - low) / 2
      if bases[middle] <= base { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// What the machine is told of the world with each input.
package struct World: Equatable, Sendable {
  /// The time of the turn.
  package var now: Timestamp
  /// Whether the network can be reached, as far as known.
  package var isOnline: Bool
  /// Whether the app or process is active.
  package var isActive: Bool

  /// Creates a world.
  ///
  /// - Parameters:
  ///   - now: The time of the turn.
  ///   - isOnline: Whether the network can be reached.
  ///   - isActive: Whether the app or process is active.
  package init(now: Timestamp, isOnline: Bool = true, isActive: Bool = true) {
    self.now = now
    self.isOnline = isOnline
    self.isActive = isActive
  }
}

/// What a machine needs to know of a plan to run its fetch.
package struct FetchTerms: Hashable, Sendable {
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// What becomes of the fetch when nobody wants it.
  package var abandonment = Abandonment.cancel
  /// Whether a failure marks the entry as invalidated.
  package var failureInvalidates = true
  /// Whether a refetch takes the data out of sight: it shows pending again.
  package var resetsData = false
  /// Whether a retry goes on where the attempt before it failed.
  package var keepsProgress = false

  /// Creates the default terms.
  package init() {}
}

/// ``AbandonmentPolicy`` with its duration clamped.
package enum Abandonment: Hashable, Sendable {
  /// The fetch is cancelled.
  case cancel
  /// A running attempt may land.
  case finish
  /// The fetch is cancelled after a while.
  case linger(Span)
}
