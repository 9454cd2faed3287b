/// Decides whether an app with several scenes is looked at: if any of them is.
///
/// | a scene says | in the foreground before | not, or not yet |
/// |---|---|---|
/// | foreground | | the app is active |
/// | background | inactive, unless another one is in the foreground | nothing |
///
/// Each scene is in the background until it is connected, and stays so where an app has the life cycle of
/// UIKit: that is no departure.
struct SceneMachine<Scene: Hashable> {
  private var foreground: Set<Scene> = []
  private(set) var isActive = true

  /// A scene has come to the foreground, or left it.
  ///
  /// - Returns: Whether the app is active from now on; `nil` if that is as before.
  mutating func changed(_ scene: Scene, isForeground: Bool) -> Bool? {
    if isForeground {
      foreground.insert(scene)
    } else if foreground.remove(scene) == nil {
      return nil
    }
    guard isActive == foreground.isEmpty else { return nil }
    isActive.toggle()
    return isActive
  }
}
