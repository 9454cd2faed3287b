/// Decides whether an app with several scenes is looked at: if any of them is.
struct SceneMachine<Scene: Hashable> {
  private var foreground: Set<Scene> = []
  private(set) var isActive = true

  /// A scene has come to the foreground, or left it.
  ///
  /// - Returns: Whether the app is active from now on; `nil` if that is as before.
  mutating func changed(_ scene: Scene, isForeground: Bool) -> Bool? {
    if isForeground { foreground.insert(scene) } else { foreground.remove(scene) }
    guard isActive == foreground.isEmpty else { return nil }
    isActive.toggle()
    return isActive
  }
}
