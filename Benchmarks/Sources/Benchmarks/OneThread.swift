import CMeasure

/// Runs tasks on the global executor, as those of an app, but all of them on this thread.
///
/// So the counts repeat. In a simulation, tasks have an executor of their own, which takes instructions
/// that no app takes, and hides some that all do.
enum OneThread {
  static func run(_ body: @escaping @Sendable () async -> Void) {
    measure_claim_jobs()
    let task = Task { await body() }
    measure_run_jobs()
    withExtendedLifetime(task) {}
  }
}
