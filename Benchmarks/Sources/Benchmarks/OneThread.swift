import CMeasure

/// Runs tasks on the global executor, like the tasks of an app, but all of them on this thread.
///
/// So the counts repeat. In a simulation, tasks have an executor of their own, which needs instructions that
/// no app needs, and saves some that every app needs.
enum OneThread {
  static func run(_ body: @escaping @Sendable () async -> Void) {
    measure_claim_jobs()
    let task = Task { await body() }
    measure_run_jobs()
    withExtendedLifetime(task) {}
  }
}
