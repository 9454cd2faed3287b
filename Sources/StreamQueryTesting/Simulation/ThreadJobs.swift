/// Keeps the jobs of a claimed thread, and runs them there later.
protocol ThreadJobs: Sendable {
  /// Takes a job of the main actor; `false` passes it on to the real one.
  func takeMain(_ job: UnownedJob) -> Bool

  /// Takes a job that any thread may run; `false` passes it on to the pool.
  func takeGlobal(_ job: UnownedJob) -> Bool
}
