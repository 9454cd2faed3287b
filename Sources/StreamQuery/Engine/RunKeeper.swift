/// What keeps runs of mutations beyond the process.
///
/// The client tells it what became of runs, in the order of transactions and outside the lock.
package protocol RunKeeper: AnyObject, Sendable {
  /// The client begins: what was kept is to be read.
  func start(for client: QueryClient)

  /// Whether it is not known yet what is kept.
  var isRestoring: Bool { get }

  /// Waits until it is known what is kept, or until the caller is cancelled.
  ///
  /// - Returns: Why it cannot be known; `nil` if it is.
  func waitUntilRestored() async -> (any Error)?

  /// What could not be read so far may be readable now, such as after a device was unlocked.
  func readAgain()

  /// Mutations that had no work may have some now.
  func workChanged()

  /// A run waits until it is kept, or until it is known which runs come before it.
  func keep(_ job: MutationJob)

  /// A kept run took a step.
  func changed(_ job: MutationJob, _ progress: RunProgress)

  /// An attempt of a kept run begins in its task.
  ///
  /// - Returns: Whether it may: after the end others may have taken the run over.
  func attemptBegan(_ job: MutationJob) -> Bool

  /// The attempt is over, however it ended, and whether or not anybody still waits for it.
  func attemptEnded(_ job: MutationJob)

  /// The work of a kept run has returned; called before the cache is told, in the run's task.
  func worked(_ job: MutationJob, _ output: ValueBox)

  /// The cache knew nothing any more of a run whose work has returned.
  func answerDropped(_ job: MutationJob)

  /// A kept run failed, and no retry is left: what is to become of it.
  func answer(_ job: MutationJob, to error: any Error, attempt: Int) async -> RunAnswer

  /// A kept run is over.
  func ended(_ job: MutationJob, _ ending: MutationMachine.Ending)

  /// Writes what is not written yet.
  ///
  /// - Returns: Why some of it could not be written; `nil` if it was, or if the caller was cancelled.
  func save() async -> (any Error)?

  /// The client, or the account that its data belongs to, is over.
  ///
  /// - Parameter writing: Whether what is not written yet is; otherwise the store is left alone.
  func end(writing: Bool)

  /// Waits until nothing is read or written any more.
  func waitUntilOver() async
}

/// Makes the keeper of a client.
package protocol RunKeeperMaking: Sendable {
  func makeKeeper(_ configuration: QueryClient.Configuration) -> any RunKeeper
}

/// What becomes of a kept run whose attempts have failed.
package enum RunAnswer: Sendable {
  /// It fails.
  case fail
  /// It waits until somebody answers.
  case stop
  /// Another attempt begins after a wait.
  case retry(after: TimeSpan)
  /// It is another request from now on, with another input and the layers of that, which is sent
  /// after a wait.
  case rebase(ValueBox, [PlannedLayer], after: TimeSpan)
}
