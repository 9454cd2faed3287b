/// What the machine needs to know of the options and callbacks that a run is started with.
package struct RunOptions: Hashable, Sendable {
  /// How long the run is kept after it ended.
  package var gcTime = TimeSpan.zero
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// Whether there are callbacks before the first attempt.
  package var prepares = false
  /// Whether there are callbacks before the end.
  package var settles = false
  /// Whether the run is kept beyond the process, and performs only when it is.
  package var isKept = false
  /// How long after its start the first attempt may begin.
  package var delay = TimeSpan.zero

  /// Creates the options of a run without callbacks that is not kept.
  package init() {}

  func canStart(in environment: Environment) -> Bool {
    networkMode != .online || environment.isOnline
  }

  /// Whether a run may go on after a wait: a kept one was promised, and does not wait for the app.
  func canContinue(in environment: Environment) -> Bool {
    (environment.isActive || environment.isAwaited || isKept)
      && (networkMode == .always || environment.isOnline)
  }
}
