/// What happens to a running fetch when nobody wants it any more.
///
/// Every stream of the key, every caller that waits for the fetch, and the client itself (for
/// background work) wants the fetch. The policy of the running fetch decides.
public enum AbandonmentPolicy: Hashable, Sendable {
  /// Cancels the fetch's task and undoes what the fetch changed; the default.
  case cancel
  /// Lets a running attempt or a paused refetch of data land; starts no further attempt.
  case finish
  /// Like ``cancel``, unless somebody wants the fetch again within the duration.
  case linger(Duration)
}
