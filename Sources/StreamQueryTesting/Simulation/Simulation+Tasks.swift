internal import StreamQuery

extension Simulation {
  /// Starts a task in this world.
  ///
  /// It runs when the simulation is driven, and counts as busy in `isIdle` until it has ended.
  ///
  /// - Parameters:
  ///   - name: What `leakReport()` calls it.
  ///   - operation: What it does.
  /// - Returns: Its handle; cancel it as any task.
  @discardableResult
  public func task<Success: Sendable>(
    _ name: String = "task",
    _ operation: @escaping @Sendable () async -> Success
  ) -> Task<Success, Never> {
    let registry = registry
    let id = registry.begin(name)
    let task = start {
      defer { registry.end(id) }
      return await operation()
    }
    registry.attach({ task.cancel() }, to: id)
    return task
  }

  /// Starts a task that may fail in this world.
  ///
  /// It runs when the simulation is driven, and counts as busy in `isIdle` until it has ended. Its
  /// error is kept by the handle and reported nowhere else.
  ///
  /// - Parameters:
  ///   - name: What `leakReport()` calls it.
  ///   - operation: What it does.
  /// - Returns: Its handle; cancel it as any task.
  @discardableResult
  public func task<Success: Sendable>(
    _ name: String = "task",
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    let registry = registry
    let id = registry.begin(name)
    adoptCallingThread()
    let task = Scheduling.$current.withValue(scheduling) {
      Task(executorPreference: executor, priority: .medium) {
        defer { registry.end(id) }
        return try await operation()
      }
    }
    registry.attach({ task.cancel() }, to: id)
    return task
  }

  /// Starts a task that prefers the simulation, with the simulation's scheduling.
  ///
  /// The priority is fixed: inherited from the test it could differ from run to run, and runtimes
  /// enqueue extra jobs when priorities meet.
  func start<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Task<Success, Never> {
    adoptCallingThread()
    return Scheduling.$current.withValue(scheduling) {
      Task(executorPreference: executor, priority: .medium) { await operation() }
    }
  }

  /// The same for a task that records, which is started where the type of the elements is known.
  @usableFromInline
  func startRecording(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    start(operation)
  }

  private func adoptCallingThread() {
    let thread = ThreadIdentity.current
    core.read { $0.adopt(thread) }
  }
}
