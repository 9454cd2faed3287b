/// The options of a query that a machine needs to run its fetch.
package struct FetchOptions: Hashable, Sendable {
  /// The mode of the fetch while offline.
  package var networkMode = NetworkMode.online
  /// The policy for the fetch when nobody wants it any more.
  package var abandonment = Abandonment.cancel
  /// Whether a failure marks the entry as invalidated.
  package var failureInvalidates = true
  /// Whether a refetch hides the present data, so that the entry is pending again until new data
  /// arrives.
  package var resetsData = false
  /// The way in which the answer arrives.
  package var delivery = Delivery.whole

  /// Whether the fetch may show parts of its value before the whole.
  var showsParts: Bool { delivery != .whole }

  /// Creates the default options.
  package init() {}
}

/// The behaviour of a fetch while the network is unreachable.
public enum NetworkMode: String, Hashable, Codable, Sendable {
  /// Starts nothing while offline: the fetch is paused and starts when the network is back.
  case online
  /// Ignores the network: fetches start, and a reconnect refetches only if an option asks for it.
  case always
  /// Runs the first attempt, but retries wait for the network: for fetches that may answer from a
  /// cache.
  case offlineFirst
}

extension NetworkMode {
  /// Whether a reconnect refetches if no option decides this.
  ///
  /// With ``always``, a reconnect is no reason to refetch.
  var standardReconnect: RefetchPolicy.Answer { self == .always ? .never : .ifStale }
}

/// The policy for a running fetch that nobody wants any more.
///
/// Every stream of the key wants the fetch, and so do every caller that waits for it and, for background
/// work, the client itself. The policy of the running fetch decides.
public enum AbandonmentPolicy: Hashable, Sendable {
  /// Cancels the fetch's task and undoes what the fetch changed; the default.
  case cancel
  /// Lets a running attempt, or a paused refetch of data, bring its answer; starts no further attempt.
  ///
  /// The fetch of an infinite query also requests its further pages after it was replaced or cancelled, if
  /// its code ignores that. A removal of the entry ends it.
  case finish
  /// Like ``cancel``, unless somebody wants the fetch again within the duration.
  case linger(Duration)
}

/// An ``AbandonmentPolicy`` whose duration is within the limits that machines can compute with.
package enum Abandonment: Hashable, Sendable {
  /// The fetch is cancelled.
  case cancel
  /// A running attempt may still bring its answer.
  case finish
  /// The fetch is cancelled after a delay.
  case linger(TimeSpan)
}

/// The way in which the answer of a fetch arrives.
package enum Delivery: Hashable, Sendable {
  /// The answer arrives at once.
  case whole
  /// The answer arrives in parts, which are shown until the value is whole.
  case parts
  /// The answer arrives in parts without an end; each part is the whole answer until the next one
  /// arrives.
  case endless
}
