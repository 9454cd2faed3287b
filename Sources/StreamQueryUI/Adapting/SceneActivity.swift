public import StreamQuery

/// Tells a client whether any scene of the app is in the foreground.
///
/// `AppActivity.system` is about the app. With this object, a client refetches, by the policy of each query,
/// when a scene comes back, and rests while no scene is shown:
///
/// ```swift
/// let scenes = SceneActivity()
/// let client = QueryClient(configuration: .init(activity: scenes.activity))
/// ```
///
/// Views report the phases of their scenes with the modifier `sceneActivity(_:)`. A scene that is inactive,
/// as behind a call, still counts as visible. A scene that has never been in the foreground does not count,
/// so that a launch is no return.
@MainActor
public final class SceneActivity {
  /// A scene, which is not retained, because it may end without a report.
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
      // The stream keeps three states, so that the app's leaving and coming back is not lost
      // between two reads.
      let (states, listener) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(3))
      // The task has no executor preference, because it runs on the main actor.
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
  ///   - scene: An object that stands for the scene while it exists.
  ///   - isForeground: Whether it is in the foreground; `false` also when it ends.
  public func changed(_ scene: AnyObject, isForeground: Bool) {
    scenes[ObjectIdentifier(scene)] = Scene(object: scene)
    tell(machine.changed(ObjectIdentifier(scene), isForeground: isForeground))
    // Released scenes are removed afterwards, so that a scene which follows another one is no
    // return of the app.
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
