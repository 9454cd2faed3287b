/// The function inside of which changes below a place of a screen are applied.
///
/// It is one object for as long as that place exists, and its context is replaced in place: otherwise
/// all below would be told of other surroundings whenever the place is drawn.
@MainActor
final class SharedContext {
  var apply: ChangeContext = { $0() }

  nonisolated init() {}
}
