/// Keeps the jobs of a thread that was claimed, to run them there when it wants.
protocol ThreadJobs: Sendable {
  /// Takes a job of the main actor; `false` to let it go to the real one.
  func takeMain(_ job: UnownedJob) -> Bool

  /// Takes a job that any thread may run; `false` to let it go to the pool.
  func takeGlobal(_ job: UnownedJob) -> Bool
}
