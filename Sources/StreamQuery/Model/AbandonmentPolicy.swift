/// What becomes of a running fetch when nobody wants it any more.
///
/// A fetch is wanted by every stream of its key, by every caller that waits for it, and by the client
/// itself for background work. The policy of the running fetch decides.
public enum AbandonmentPolicy: Hashable, Sendable {
  /// The fetch's task is cancelled and what the fetch changed is undone; the default.
  case cancel
  /// A running attempt may land, and so may a paused refetch of data; no further attempt starts.
  case finish
  /// As ``cancel``, unless somebody wants the fetch again within the duration.
  case linger(Duration)
}
