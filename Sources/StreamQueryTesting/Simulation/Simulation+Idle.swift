package import StreamQuery

extension Simulation {
  /// Whether the simulation is idle: without ready jobs, sleepers, unfinished tasks or client work.
  ///
  /// Active recordings do not count, and neither does a client's own timer. Waits in real time are not seen,
  /// such as that of a plain `Task` that sleeps by `Task.sleep`.
  ///
  /// - Complexity: O(*p*) in the number of clients.
  public var isIdle: Bool {
    let isQuiet = core.read { $0.ready.isEmpty && $0.sleepers.foregroundCount == 0 }
    return isQuiet && !registry.hasUnfinished && registry.probeReport.isEmpty
  }

  /// The reasons why the simulation is not idle, one line each, in a stable order.
  ///
  /// Waits in real time are not seen, such as that of a plain `Task` that sleeps by `Task.sleep`.
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

  /// Adds a probe for live work, which `isIdle` and `leakReport()` call.
  ///
  /// Both closures are kept while the simulation lives, so they should capture weakly.
  ///
  /// - Parameters:
  ///   - probe: Returns a line for each live object.
  ///   - onEnd: Ends waits for signals and time when the simulation is released, because no more
  ///     will come. Without it, these waits would end on ordinary threads some time later.
  package func register(
    _ probe: @escaping @Sendable () -> Liveness,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    registry.add(probe, onEnd: onEnd)
  }
}
