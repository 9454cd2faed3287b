/// The function inside of which changes in a part of a screen are applied.
///
/// The part has one object, whose context is replaced in place: otherwise all views in it would get other
/// surroundings whenever it is drawn.
@MainActor
final class SharedContext {
  var apply: ChangeContext = { $0() }

  nonisolated init() {}
}
