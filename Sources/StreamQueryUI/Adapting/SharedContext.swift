/// The function that applies arriving changes in a part of a screen, such as an animation.
///
/// The part has one such object, in which the function is replaced. A new object would make SwiftUI draw all
/// views of the part again.
@MainActor
final class SharedContext {
  var apply: ChangeContext = { $0() }

  nonisolated init() {}
}
