/// Decides whether an app is active, by the reports of its life cycle.
///
/// | the app | was never in the foreground | was in the foreground |
/// |---|---|---|
/// | is in the foreground | active | active |
/// | is in the background | nothing | inactive |
///
/// An app with scenes is launched in the background, and enters the foreground a moment later. This is no
/// return to the app, so nothing is reported before. If the app stays in the background, the system suspends
/// it.
struct ForegroundHistory: Equatable {
  private var wasInForeground = false

  /// Takes a report that the app is in the foreground, or in the background.
  ///
  /// - Returns: Whether the app is active; `nil` if that is not known yet.
  mutating func reported(isInForeground: Bool) -> Bool? {
    if isInForeground { wasInForeground = true }
    return wasInForeground ? isInForeground : nil
  }
}

/// Decides how long a thread waits, so that the system lets the app work in the background: the
/// system's time lasts as long as the thread does not return.
///
/// | input | not given yet | held | over |
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

  /// Holds the thread to which the system gives the time, unless the time is over already.
  ///
  /// - Returns: Whether the thread has to wait.
  mutating func given() -> Bool {
    guard stage == .asked else { return false }
    stage = .held
    return true
  }

  /// Ends the time, because the work is done or the time expires.
  ///
  /// - Returns: Whether a waiting thread is to be woken.
  mutating func ended() -> Bool {
    defer { stage = .over }
    return stage == .held
  }
}
