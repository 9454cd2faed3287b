public import StreamQuery

/// Tells a client whether any scene of the app is in the foreground.
///
/// `AppActivity.system` is about the whole app. With this object, a client rests while no scene is shown, and
/// refetches, by the policy of each query, when a scene comes back:
///
/// ```swift
/// let scenes = SceneActivity()
/// let client = QueryClient(configuration: .init(activity: scenes.activity))
/// ```
///
/// Views report the phases of their scenes with the modifier `sceneActivity(_:)`. An inactive scene, such as
/// one behind a phone call, still counts as visible. A scene that has never been in the foreground does not
/// count, so that a launch does not count as a return.
@MainActor
public final class SceneActivity {
  /// A scene; it is not retained, because it may end without a report.
  private struct Scene {
    weak var object: AnyObject?
  }

  private var machine = SceneMachine<ObjectIdentifier>()
  private var scenes: [ObjectIdentifier: Scene] = [:]
  private var listeners: [AsyncStream<Bool>.Continuation] = []

  /// Creates an activity, which is active until a scene reports otherwise.
  public init() {}

  /// The activity for the configuration of a client.
  public nonisolated var activity: AppActivity {
    AppActivity { [weak self] in
      // The stream buffers three states, so that an activation between two reads is not lost.
      let (states, listener) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(3))
      // The task has no executor preference, because the main actor would ignore one.
      Task { @MainActor in self?.add(listener) }
      return states
    }
  }

  private func add(_ listener: AsyncStream<Bool>.Continuation) {
    listener.yield(machine.isActive)
    listeners.append(listener)
  }

  /// Reports that a scene has come to the foreground, or has left it.
  ///
  /// - Parameters:
  ///   - scene: An object that stands for the scene while the scene exists.
  ///   - isForeground: Whether the scene is in the foreground; `false` also when the scene ends.
  public func changed(_ scene: AnyObject, isForeground: Bool) {
    scenes[ObjectIdentifier(scene)] = Scene(object: scene)
    tell(machine.changed(ObjectIdentifier(scene), isForeground: isForeground))
    // Released scenes are removed after the report, so that a scene that replaces another does not count as
    // an activation.
    for (id, scene) in scenes where scene.object == nil {
      scenes[id] = nil
      tell(machine.changed(id, isForeground: false))
    }
  }

  private func tell(_ isActive: Bool?) {
    guard let isActive else { return }
    listeners.removeAll { listener in
      if case .terminated = listener.yield(isActive) { return true }
      return false
    }
  }
}
