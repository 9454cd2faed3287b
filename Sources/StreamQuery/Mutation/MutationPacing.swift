/// Which runs of a mutation are sent, when several of them wait.
public enum MutationPacing: Hashable, Sendable, BitwiseCopyable {
  /// All of them, one after the other in their scope.
  case all
  /// Only the newest run of each scope, or of each item: see ``Mutation/pacing(_:of:)``.
  ///
  /// When a run may be sent, earlier runs of the same mutation in the same scope, about the same item,
  /// are cancelled: their changes are rolled back, which shows those of the newer run, and their callers
  /// throw `CancellationError`. The newer run waits for an earlier one whose request is under way. If
  /// that request fails, the earlier run is cancelled too rather than tried again, so that an older
  /// version never arrives after a newer one. If it succeeds, the changes that the earlier run still
  /// shows are removed when the newer run has succeeded.
  ///
  /// Without a scope of its own a mutation gets one that is named after its key, and its item.
  case newest
}
