/// Receives the jobs of a thread that runs a simulation's main-actor code, and runs them there later.
protocol ThreadJobs: Sendable {
  /// Takes a job of the main actor; returns `false` if the real main actor has to run it.
  func takeMain(_ job: UnownedJob) -> Bool

  /// Takes a job that any thread may run; returns `false` if the thread pool has to run it.
  func takeGlobal(_ job: UnownedJob) -> Bool
}
