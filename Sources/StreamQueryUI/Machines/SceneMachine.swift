/// Decides whether an app with several scenes is active: it is active while a scene is in the foreground.
///
/// | a scene reports | and was in the foreground before | and was not |
/// |---|---|---|
/// | foreground | | the app is active |
/// | background | the app is inactive, unless another scene is in the foreground | nothing |
///
/// SwiftUI reports the background for a scene until the scene is connected, and in an app with the life cycle
/// of UIKit always. So a report of the background changes nothing if the scene was not in the foreground.
struct SceneMachine<Scene: Hashable> {
  private var foreground: Set<Scene> = []
  private(set) var isActive = true

  /// Notes that a scene has come to the foreground, or has left it.
  ///
  /// - Returns: Whether the app is active; `nil` if that has not changed.
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
