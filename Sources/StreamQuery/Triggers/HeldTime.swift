/// Decides how long a thread holds the time that the system has given for work in the background.
///
/// | told | not given yet | held | over |
/// |---|---|---|---|
/// | the time is given | held: the thread waits | | the thread goes on |
/// | the work is done, or the time expires | over | over: the thread is woken | |
struct HeldTime: Equatable {
  private enum Stage {
    case asked
    case held
    case over
  }

  private var stage = Stage.asked

  /// The time is given.
  ///
  /// - Returns: Whether the thread that was told so waits.
  mutating func given() -> Bool {
    guard stage == .asked else { return false }
    stage = .held
    return true
  }

  /// The work is done, or the time expires.
  ///
  /// - Returns: Whether a thread waits, and is to be woken.
  mutating func ended() -> Bool {
    defer { stage = .over }
    return stage == .held
  }
}
