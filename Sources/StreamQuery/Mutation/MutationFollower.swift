/// A handle that shows one run: that which was started through it last.
struct MutationFollower {
  var run: MutationID?
  /// The end of a run that was cleared away: a handle that showed it goes on to.
  var kept: MutationFrame?
}
