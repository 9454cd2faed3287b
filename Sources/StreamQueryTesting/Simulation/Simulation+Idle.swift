package import StreamQuery

extension Simulation {
  /// Whether the simulation is idle: without ready jobs, sleepers, unfinished tasks or client work.
  ///
  /// Active recordings and the timers of clients do not count; nor do subscriptions while a recording is
  /// active. The simulation does not see waits in real time, such as that of a plain `Task` in `Task.sleep`.
  ///
  /// - Complexity: O(*p*) in the number of clients.
  public var isIdle: Bool {
    let isQuiet = core.read { $0.ready.isEmpty && $0.sleepers.foregroundCount == 0 }
    return isQuiet && !registry.hasUnfinished && registry.probeReport.isEmpty
  }

  /// Returns the reasons why the simulation is not idle, one in a line, in a stable order.
  ///
  /// The simulation does not see waits in real time, such as that of a plain `Task` in `Task.sleep`.
  ///
  /// ```swift
  /// #expect(simulation.leakReport() == [])      // says what is left, where `isIdle` says whether
  /// ```
  ///
  /// - Returns: Ready jobs, sleepers, unfinished tasks by name, and the objects that clients report
  ///   as alive.
  public func leakReport() -> [String] {
    let (ready, sleepers) = core.read { ($0.ready.count, $0.sleepers.foregroundCount) }
    var report: [String] = []
    if ready > 0 { report.append("jobs that are ready but have not run: \(ready)") }
    if sleepers > 0 { report.append("sleepers on the clock: \(sleepers)") }
    report += registry.unfinished.map { "unfinished task: \($0)" }
    return report + registry.probeReport
  }

  /// Adds a client: `isIdle` and `leakReport()` ask it for its unfinished work.
  ///
  /// The simulation keeps both closures while it lives, so they should capture weakly.
  ///
  /// - Parameters:
  ///   - probe: Returns the client's objects that are still alive, as its unfinished work.
  ///   - onEnd: Called when the simulation is released; ends the client's waits for signals and for time,
  ///     because neither comes any more. Otherwise the waits end later, on ordinary threads.
  package func register(
    _ probe: @escaping @Sendable () -> Liveness,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    registry.add(probe, onEnd: onEnd)
  }
}
