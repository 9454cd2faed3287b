internal import StreamQuery

extension Simulation {
  /// Starts a task in this simulation.
  ///
  /// The task runs when the simulation is driven, and counts as busy in `isIdle` until it ends.
  ///
  /// - Parameters:
  ///   - name: The name of the task in `leakReport()`.
  ///   - operation: The work of the task.
  /// - Returns: The task's handle; cancel it like any task.
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

  /// Starts a task that may fail in this simulation.
  ///
  /// The task runs when the simulation is driven, and counts as busy in `isIdle` until it ends. Its error is
  /// not reported; the handle has it.
  ///
  /// - Parameters:
  ///   - name: The name of the task in `leakReport()`.
  ///   - operation: The work of the task.
  /// - Returns: The task's handle; cancel it like any task.
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

  /// Starts a task that prefers the simulation's executor, with the simulation as its `Scheduling`.
  ///
  /// The priority is fixed. A priority inherited from the test could differ from run to run, and runtimes
  /// enqueue extra jobs when tasks of different priorities meet.
  func start<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Task<Success, Never> {
    adoptCallingThread()
    return Scheduling.$current.withValue(scheduling) {
      Task(executorPreference: executor, priority: .medium) { await operation() }
    }
  }

  /// Starts the task of a recording; called by inlinable code that knows the type of the elements.
  @usableFromInline
  func startRecording(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    let registry = registry
    let id = registry.beginRecording()
    let task = start {
      defer { registry.end(id) }
      await operation()
    }
    registry.attach({ task.cancel() }, to: id)
    return task
  }

  private func adoptCallingThread() {
    core.read { $0.adopt(.current) }
  }
}
