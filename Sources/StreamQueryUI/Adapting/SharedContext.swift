/// The function inside of which changes in a part of a screen are applied.
///
/// The part has one such object, whose function is replaced in place. With another object, all views in the
/// part would have to be drawn again.
@MainActor
final class SharedContext {
  var apply: ChangeContext = { $0() }

  nonisolated init() {}
}
