/// Which runs of a mutation are sent, when several of them wait.
public enum MutationPacing: Hashable, Sendable, BitwiseCopyable {
  /// All of them, one after the other in their scope.
  case all
  /// Only the newest one of each scope.
  ///
  /// When a run may be sent, earlier runs of the same mutation in the same scope, or without a scope,
  /// that were never sent are cancelled: their changes are rolled back, which shows those of the newer
  /// run, and their callers throw `CancellationError`. A run that was sent, even in vain, stays.
  case newest
}
