/// What the shell has to do after an input to a run: data, in the order in which it is done.
package struct MutationEffects: Equatable, Sendable {
  /// Cancel the run's task; it answers for itself.
  package var cancels = false
  /// Call what is called before the first attempt.
  package var prepares = false
  /// Run an attempt.
  package var performs = false
  /// The run rests: it waits for its lane, the network or the app.
  package var paused = false
  /// It is decided how the run ends: its layers follow, and its callbacks unless it ended already.
  package var concluded: MutationMachine.Ending?
  /// The run is over: answer its callers, and give its place in the lane to the next.
  package var ended: MutationMachine.Ending?
  /// Somebody may see a difference.
  package var changed = false
  /// The run may be forgotten.
  package var expired = false

  /// Creates effects that ask for nothing.
  package init() {}

  /// Nothing to do.
  package static let none = MutationEffects()
}
