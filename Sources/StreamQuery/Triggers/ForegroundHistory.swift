/// Decides what the life cycle of an app says about whether anybody looks at it.
///
/// | the app | was never in the foreground | was in the foreground |
/// |---|---|---|
/// | is in the foreground | active | active |
/// | is in the background | nothing | inactive |
///
/// An app with scenes is launched in the background, and comes to the foreground a moment later. That is no
/// return. If it is launched in the background to stay there, the system suspends it.
struct ForegroundHistory: Equatable {
  private var wasInForeground = false

  /// The app is in the foreground, or in the background.
  ///
  /// - Returns: Whether it is active; `nil` if that is not known.
  mutating func reported(isInForeground: Bool) -> Bool? {
    if isInForeground { wasInForeground = true }
    return wasInForeground ? isInForeground : nil
  }
}
