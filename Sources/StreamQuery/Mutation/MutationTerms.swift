/// What a run is started with, as far as its machine needs to know.
package struct MutationTerms: Hashable, Sendable {
  /// How long the run is kept after its end.
  package var gcTime = Span.zero
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// Whether anything is called before the first attempt.
  package var prepares = false
  /// Whether anything is called before the end.
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
