/// What the machine needs to know of the options and callbacks that a run is started with.
package struct MutationTerms: Hashable, Sendable {
  /// How long the run is kept after it ended.
  package var gcTime = Span.zero
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// Whether there are callbacks before the first attempt.
  package var prepares = false
  /// Whether there are callbacks before the end.
  package var settles = false

  /// Creates the terms of a run without callbacks that is not kept.
  package init() {}

  func canStart(in world: World) -> Bool {
    networkMode != .online || world.isOnline
  }

  func canContinue(in world: World) -> Bool {
    world.isActive && (networkMode == .always || world.isOnline)
  }
}
