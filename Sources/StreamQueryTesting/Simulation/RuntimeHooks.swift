internal import Synchronization

/// Sets the two hooks of the Swift runtime by which a library can decide where a job runs.
///
/// The first hook returns the main actor's executor whenever code hops to the main actor. The second receives
/// each job without an actor and an executor: plain tasks, detached ones, and their children. Both are
/// variables of the runtime, found by name, because not every system has them.
///
/// The hooks are never removed, because another thread may be in one of them at any time. They pass on every
/// job that `MainStandIn` does not claim.
enum RuntimeHooks {
  /// The reason why the hooks cannot be set.
  enum Problem: Hashable, Sendable {
    /// The runtime of this system has no variable of this name.
    case isMissing(String)
    /// Another library has set the variable of this name.
    case isTaken(String)

    /// A message about the problem, for the developer of the test.
    var message: String {
      switch self {
      case .isMissing(let name):
        """
        The main actor cannot be simulated here: this system's Swift runtime has no `\(name)`. \
        Systems of Apple seem to have it from iOS 18.4 and macOS 15.4 on; a program that links the \
        runtime statically hides it.
        """
      case .isTaken(let name):
        """
        The main actor cannot be simulated now: something else has set `\(name)` of the Swift \
        runtime, such as `withMainSerialExecutor` or another library for tests. Keep the two apart.
        """
      }
    }
  }

  static let mainName = "swift_task_getMainExecutor_hook"
  static let globalName = "swift_task_enqueueGlobal_hook"

  private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
  private typealias MainHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor
  private typealias EnqueueGlobal = @convention(thin) (UnownedJob) -> Void
  private typealias GlobalHook = @convention(thin) (UnownedJob, EnqueueGlobal) -> Void

  /// Sets both hooks; if that is impossible, sets neither and returns the problem.
  static func install(find: (String) -> UnsafeMutableRawPointer? = LoadedSymbol.address) -> Problem?
  {
    let hooks = [(mainName, mainHook), (globalName, globalHook)]
    var slots: [(slot: UnsafeMutablePointer<UInt>, hook: UInt)] = []
    for (name, hook) in hooks {
      guard let slot = find(name)?.assumingMemoryBound(to: UInt.self) else {
        return .isMissing(name)
      }
      guard slot.pointee == 0 || slot.pointee == hook else { return .isTaken(name) }
      slots.append((slot, hook))
    }
    // The runtime may read a variable while it is set for the first time: it then finds either no hook or
    // this one, and both are right.
    for (slot, hook) in slots where slot.pointee == 0 { slot.pointee = hook }
    return nil
  }

  private static let mainHook: UInt = {
    let hook: MainHook = { original in
      MainStandIn.asked?.asUnownedSerialExecutor() ?? original()
    }
    // The variable of the runtime holds a pointer to a function, which has the size of a `UInt`.
    return unsafeBitCast(hook, to: UInt.self)
  }()

  private static let globalHook: UInt = {
    let hook: GlobalHook = { job, original in
      if !MainStandIn.takeGlobal(job) { original(job) }
    }
    // The variable of the runtime holds a pointer to a function, which has the size of a `UInt`.
    return unsafeBitCast(hook, to: UInt.self)
  }()
}
