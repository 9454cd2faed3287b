internal import StreamQuery

extension Simulation {
  /// The unfinished work and the waits of the simulation, with advice.
  var pending: PendingReport {
    let liveness = registry.liveness
    var report = core.read { state in
      PendingReport(
        now: state.now,
        readyJobs: state.ready.count,
        sleepers: state.sleepers.foregroundCount,
        nextDeadline: state.sleepers.nextDeadline()
      )
    }
    (report.suspendedCalls, report.endlessCalls) = core.waits.scriptedCalls
    report.tasks = registry.unfinished
    report.work = liveness.flatMap(\.work)
    report.others = liveness.flatMap { $0.work.isEmpty ? $0.unfinished : [] }
    report.elsewhere = core.waits.elsewhere
    return report
  }

  /// Sets the pause between two checks whether the simulation is driven, for tests; by default it is a real
  /// second.
  package func watchOutsideWaits(every pause: @escaping @Sendable () async -> Void) {
    core.waits.setPause(pause)
  }

  /// Fails the test at once, because no later drive of the simulation may come that would deliver the
  /// failure.
  func report(_ message: String) {
    let text = pending.text
    core.read { $0.fail("\(message)\n\(text)") }
    deliverFailures()
  }
}

extension Simulation: CustomStringConvertible {
  /// The unfinished work and the waits of the simulation, with advice.
  ///
  /// A failed comparison of a recording shows it. Use it as the comment of other expectations, such as about
  /// a property of a model: `#expect(model.name == "Ada", "\(simulation)")`.
  public var description: String { pending.text }
}
