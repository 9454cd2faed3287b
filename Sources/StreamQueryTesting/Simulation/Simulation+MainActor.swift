internal import StreamQuery

extension Simulation {
  /// Runs a synchronous test of main-actor code; its tasks, even plain ones, are part of the simulation.
  ///
  /// Use it for the models of apps, which start a plain `Task { }` and know no executor:
  ///
  /// ```swift
  /// import Observation
  ///
  /// @MainActor @Observable final class ProfileModel {
  ///   private(set) var name = "…"
  ///
  ///   init(_ client: QueryClient) {
  ///     Task { [weak self] in
  ///       for await result in client.stream(.user(42)) {
  ///         self?.name = result.data?.name ?? "…"
  ///       }
  ///     }
  ///   }
  /// }
  ///
  /// @Test(arguments: 0..<100)
  /// @MainActor func showsTheName(seed: UInt64) {
  ///   Simulation.onMainActor(seed: seed) { simulation in
  ///     let profile = ProfileModel(QueryClient(simulation: simulation))
  ///     simulation.advance(by: .seconds(1))
  ///     #expect(profile.name == "Ada")
  ///   }
  /// }
  /// ```
  ///
  /// The body occupies the main actor, like every synchronous function on it. Jobs of the main actor run when
  /// the simulation is driven, always oldest first; the seed chooses between the oldest of them and all other
  /// jobs. `MainActor.run`, `assumeIsolated` and isolated deinitializers do what they do in the app, and
  /// `Scheduling.current` is the simulation's. Tests on other threads are not affected.
  ///
  /// **The end.** Plain tasks have no handles, so they cannot be cancelled, but their waits are ended: the
  /// simulation's clients are shut down, which ends their streams, and sleepers get `CancellationError`. The
  /// simulation cannot be driven any more.
  ///
  /// **Waits in real time.** `Task.sleep`, dispatch queues, the network, and actors with their own executor
  /// take real time, and the body does not wait for them. If a task comes back from there to the main actor,
  /// the test fails; after the end of the body, the task is reported in a line on the standard error stream.
  /// The simulation does not see
  ///
  /// - tasks that never come back to the main actor, and detached tasks even if they do,
  /// - blocks of `DispatchQueue.main` and timers of the main run loop, which run after the end,
  /// - `Task.yield()` in an actor that others wait for, and a preference for `globalConcurrentExecutor`.
  ///
  /// **Systems.** The method needs two hooks of the Swift runtime. Linux has them and, as far as is known,
  /// Apple's systems from iOS 18.4 and macOS 15.4 on. If a hook is missing, if another library has set it, or
  /// inside another `onMainActor`, the test fails with a message and the body does not run. Then
  /// `SimulationError` is thrown if the body can throw it; if the body throws no error and returns a value,
  /// the process ends.
  ///
  /// - Parameters:
  ///   - seed: The seed of the simulation.
  ///   - jobLimit: The job limit of the simulation.
  ///   - onFailure: The failure handler of the simulation.
  ///   - fileID: The place of an issue; leave it to its default.
  ///   - filePath: The place of an issue; leave it to its default.
  ///   - line: The place of an issue; leave it to its default.
  ///   - column: The place of an issue; leave it to its default.
  ///   - body: The test.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or `SimulationError` if the body did not run.
  @MainActor
  public static func onMainActor<Value, Failure: Error>(
    seed: UInt64 = 0,
    jobLimit: Int = 1_000_000,
    onFailure: (@Sendable (String) -> Void)? = nil,
    fileID: String = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column,
    _ body: @MainActor (Simulation) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let simulation = Simulation(
      seed: seed,
      jobLimit: jobLimit,
      onFailure: onFailure,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column
    )
    let isNested = MainStandIn.isOnClaimedThread
    if let problem = isNested ? nested : RuntimeHooks.install()?.message {
      return try simulation.cannotRun(problem, Failure.self)
    }
    let report = FailureReport(fileID: fileID, filePath: filePath, line: line, column: column)
    let outcome = MainStandIn.claimThread(
      for: simulation.core,
      onLateReturn: { report.print(lateReturn) },
      { () -> Result<Value, Failure> in simulation.outcome(of: body) }
    )
    return try outcome.get()
  }

  /// Runs an asynchronous test of main-actor code to its end, in a synchronous call.
  ///
  /// The body is a task on the main actor. While it waits, all other jobs run, and time moves when no job is
  /// ready, as in `run(_:)`; a body that would wait for ever is a failure. The body cannot drive its own
  /// simulation: to let time pass it calls `settled(after:)`.
  ///
  /// ```swift
  /// @Test(arguments: 0..<100)
  /// @MainActor func isCached(seed: UInt64) throws {
  ///   try Simulation.onMainActor(seed: seed) { simulation in
  ///     let client = QueryClient(simulation: simulation)
  ///     let user = try await client.fetch(.user(42))
  ///     try await simulation.settled(after: .seconds(1))
  ///     #expect(client.data(for: .user(42)) == user)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - seed: The seed of the simulation.
  ///   - jobLimit: The job limit of the simulation.
  ///   - onFailure: The failure handler of the simulation.
  ///   - fileID: The place of an issue; leave it to its default.
  ///   - filePath: The place of an issue; leave it to its default.
  ///   - line: The place of an issue; leave it to its default.
  ///   - column: The place of an issue; leave it to its default.
  ///   - body: The test.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or `SimulationError` if the body did not run or did not end.
  @MainActor
  public static func onMainActor<Value: Sendable, Failure: Error>(
    seed: UInt64 = 0,
    jobLimit: Int = 1_000_000,
    onFailure: (@Sendable (String) -> Void)? = nil,
    fileID: String = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column,
    _ body: @escaping @MainActor (Simulation) async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try onMainActor(
      seed: seed,
      jobLimit: jobLimit,
      onFailure: onFailure,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column
    ) { (simulation: Simulation) throws(Failure) -> Value in
      try simulation.run { () async throws(Failure) -> Value in
        // The task has no executor preference, because in an app the body and its child tasks would have
        // none.
        let task = Task { @MainActor () -> Result<Value, Failure> in
          do throws(Failure) {
            return .success(try await body(simulation))
          } catch {
            return .failure(error)
          }
        }
        let result = await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
        return try result.get()
      }
    }
  }

  /// Runs the body in this simulation, and ends the simulation after it.
  @MainActor
  private func outcome<Value, Failure: Error>(
    of body: @MainActor (Simulation) throws(Failure) -> Value
  ) -> Result<Value, Failure> {
    core.read { $0.mainActorHeld() }
    defer {
      registry.closeAll()
      shutDown()
      core.retire()
    }
    return Scheduling.$current.withValue(scheduling) { () -> Result<Value, Failure> in
      do throws(Failure) {
        return .success(try body(self))
      } catch {
        return .failure(error)
      }
    }
  }

  private func cannotRun<Value, Failure: Error>(
    _ message: String,
    _: Failure.Type
  ) throws(Failure) -> Value {
    core.read { $0.fail(message) }
    deliverFailures()
    return try unfinished(message, Failure.self)
  }

  private static var nested: String {
    """
    `Simulation.onMainActor` was called inside another one: there is one main actor, and its thread \
    belongs to the simulation that runs. Give each test one, and make it the outermost.
    """
  }

  private static var lateReturn: String {
    """
    A task that began in this `Simulation.onMainActor` came back to the main actor after its end: it \
    waits in real time, by `Task.sleep`, a dispatch queue or the network. Nothing that it did was seen \
    by the test.
    """
  }
}
