/// Which runs of a mutation are sent, when several of them wait.
public enum MutationPacing: Hashable, Sendable, BitwiseCopyable {
  /// All of them, one after the other in their scope.
  case all
  /// Only the newest one of each scope, or of each item: see ``Mutation/pacing(_:of:)``.
  ///
  /// When a run may be sent, earlier runs of the same mutation in the same scope, about the same item,
  /// are cancelled: their changes are rolled back, which shows those of the newer run, and their callers
  /// throw `CancellationError`. One whose request is under way is waited for. If that fails, the run is
  /// cancelled too rather than tried again, so that an older version never arrives after a newer one; if
  /// it succeeds, what is still shown of it goes when the newer run has succeeded.
  /// Without a scope of its own a mutation gets one that is named after its key, and its item.
  case newest
}
