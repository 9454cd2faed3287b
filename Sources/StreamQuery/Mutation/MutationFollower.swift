/// A handle that shows one run: the last one that was started through it.
struct MutationFollower {
  var run: MutationID?
  /// The final state of a run that was cleared, which a handle that showed the run still shows.
  var kept: MutationSnapshot?
}
