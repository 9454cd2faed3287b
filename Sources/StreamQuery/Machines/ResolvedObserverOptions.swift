/// The options of one observer, with defaults applied and every closure evaluated.
///
/// Observers with equal resolved options are counted together, so an entry's decisions cost the
/// same for ten thousand observers as for one.
package struct ResolvedObserverOptions: Hashable, Sendable {
  // Every observer stores these options. Spans come first and flags last, and an optional span takes no
  // additional byte: 48 bytes instead of 72.

  /// The polling interval; infinite is off.
  package var interval = TimeSpan.infinite
  /// The polling interval in the background; infinite is off.
  package var backgroundInterval = TimeSpan.infinite
  private var packedGCTime = TimeSpan.Packed(nil)
  private var packedLinger = TimeSpan.Packed(nil)
  /// The stale time of this observer.
  package var freshness = Freshness.after(.zero)
  /// Whether the observer fetches automatically.
  package var participation = Participation.enabled
  /// Whether a subscription refetches cached data.
  package var onSubscribe = RefetchPolicy.Answer.ifStale
  /// Whether a reconnect refetches.
  package var onReconnect = RefetchPolicy.Answer.ifStale
  /// Whether becoming active refetches.
  package var onActive = RefetchPolicy.Answer.ifStale
  /// Whether a subscription retries a failed fetch without data.
  package var retriesOnSubscribe = true
  /// The random part of each polling interval.
  package var jitter = PollJitter.none

  /// The retention of the entry if this observer leaves last; `nil` is the longest that a query requested.
  package var gcTime: TimeSpan? {
    get { packedGCTime.value }
    set { packedGCTime = TimeSpan.Packed(newValue) }
  }
  /// How long a fetch goes on after this observer, if it leaves last; `nil` leaves that to the fetch's
  /// options.
  package var linger: TimeSpan? {
    get { packedLinger.value }
    set { packedLinger = TimeSpan.Packed(newValue) }
  }

  /// Whether an observer fetches automatically.
  package enum Participation: Hashable, Sendable {
    case disabled
    /// The observer does not fetch before a store is read.
    case restoring
    case enabled
  }

  /// Whether the observer fetches automatically.
  package var isEnabled: Bool {
    get { participation == .enabled }
    set { participation = newValue ? .enabled : .disabled }
  }

  /// Creates the resolved options of an observer with default options.
  package init() {}

  /// Whether the observer may poll.
  var polls: Bool { isEnabled && !(interval.isInfinite && backgroundInterval.isInfinite) }

  /// Whether the observer polls while the app is inactive.
  var pollsInBackground: Bool {
    isEnabled && backgroundInterval > .zero && !backgroundInterval.isInfinite
  }

  /// Whether a reconnect or an activation refetches even fresh data.
  func refetchesAlways(on cause: FetchCause) -> Bool {
    switch cause {
    case .reconnect: onReconnect == .always
    case .active: onActive == .always
    case .subscribed, .invalidated, .interval, .manual, .reset, .trigger: false
    }
  }

  /// The interval that applies now, without its random part; infinite means none.
  func interval(isActive: Bool) -> TimeSpan { isActive ? interval : backgroundInterval }
}

/// Observers of one entry with equal resolved options.
struct ObserverGroup: Equatable, Sendable {
  var resolvedOptions: ResolvedObserverOptions
  var count = 0
  /// The times, in order, when observers started to poll.
  ///
  /// The start of a fetch removes them all: from then on, polling counts from that fetch.
  var bases: [Instant] = []

  /// The time from which the group's polling counts: `lastTick`, or the first of `bases` if all observers of
  /// the group came after that tick.
  func base(after lastTick: Instant) -> Instant {
    bases.count < count ? lastTick : bases.first ?? lastTick
  }

  /// Adds the time when an observer started to poll; most are added at the end.
  mutating func insert(_ base: Instant) {
    let position = bases.last.map { $0 <= base } ?? true ? bases.count : position(after: base)
    bases.insert(base, at: position)
  }

  /// Removes the time when an observer started to poll; does nothing if a fetch has replaced that time.
  mutating func remove(_ base: Instant) {
    let position = position(after: base) - 1
    if position >= 0, bases[position] == base { bases.remove(at: position) }
  }

  private func position(after base: Instant) -> Int {
    var low = 0
    var high = bases.count
    while low < high {
      let middle = low + (high - low) / 2
      if bases[middle] <= base { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
