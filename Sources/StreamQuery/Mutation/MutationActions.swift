/// What the shell has to do after an input to a run: data, in the order in which it is done.
package struct MutationActions: Equatable, Sendable {
  /// Cancel the run's task; the task reports how it ended.
  package var cancels = false
  /// Call the callbacks that come before the first attempt.
  package var prepares = false
  /// Run an attempt.
  package var performs = false
  /// The run is idle: it waits for its scope, the network or the app.
  package var paused = false
  /// Keep the run beyond the process, and report when it is.
  package var keeps = false
  /// The run waits for an answer to its error.
  package var stopped = false
  /// The outcome is decided: update the run's layers, then call its callbacks unless it has ended
  /// already.
  package var concluded: MutationMachine.Ending?
  /// The run is over: answer its callers, and give its place in the scope to the next run.
  package var ended: MutationMachine.Ending?
  /// An observer may see a difference.
  package var changed = false
  /// The run may be forgotten.
  package var expired = false

  /// Creates effects that ask for nothing.
  package init() {}

  /// Nothing to do.
  package static let none = MutationActions()
}
