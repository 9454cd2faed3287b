/// Keeps runs of mutations beyond the process: the client's view of the outbox.
///
/// A run is *kept* if the outbox has a record of it.
///
/// The client tells it the progress of runs, in the order of transactions and outside the lock.
package protocol DurableRuns: AnyObject, Sendable {
  /// The client begins: reads the kept runs.
  func start(for client: QueryClient)

  /// Whether the kept runs have not been read yet.
  var isRestoring: Bool { get }

  /// Waits until the kept runs have been read, or until the caller is cancelled.
  ///
  /// - Returns: The error of reading; `nil` if they have been read.
  func waitUntilRestored() async -> (any Error)?

  /// A failed read may succeed now, such as after a device was unlocked.
  func retryLoad()

  /// The defaults of mutations have changed, so mutations that had no work may have some now.
  func workChanged()

  /// A run waits until it is kept or, if it is not durable, until the kept runs before it are
  /// known.
  func keep(_ job: MutationJob)

  /// A kept run has made progress.
  func changed(_ job: MutationJob, _ progress: RunProgress)

  /// An attempt of a kept run begins in its task.
  ///
  /// - Returns: Whether it may begin: after the end another client may have taken the run over.
  func attemptBegan(_ job: MutationJob) -> Bool

  /// The attempt is over, in whatever way, and whether or not anybody still waits for it.
  func attemptEnded(_ job: MutationJob)

  /// The work of a kept run has returned; called before the cache is told, in the run's task.
  func worked(_ job: MutationJob, _ output: ValueBox)

  /// The work of a run has returned, but the cache has forgotten the run, so its answer is dropped.
  func answerDropped(_ job: MutationJob)

  /// Decides about a kept run that failed without a retry left.
  func answer(_ job: MutationJob, to error: any Error, attempt: Int) async -> RunAnswer

  /// A kept run is over.
  func ended(_ job: MutationJob, _ ending: MutationMachine.Ending)

  /// Writes all changes.
  ///
  /// - Returns: The error of writing; `nil` if all was written, or if the caller was cancelled.
  func save() async -> (any Error)?

  /// The client, or the account of its data, has ended.
  ///
  /// - Parameter writing: Whether the remaining changes are written; otherwise the store is left
  ///   alone.
  func end(writing: Bool)

  /// Waits until nothing is read or written any more.
  func waitUntilOver() async
}

/// Makes the outbox of a client.
package protocol DurableRunMaking: Sendable {
  func makeDurableRuns(_ configuration: QueryClient.Configuration) -> any DurableRuns
}

/// The decision about a kept run whose attempts have failed.
package enum RunAnswer: Sendable {
  /// The run fails.
  case fail
  /// The run waits for an answer.
  case stop
  /// Another attempt begins after a wait.
  case retry(after: TimeSpan)
  /// The run is another request from now on, with another input and layers, and is sent after a
  /// wait.
  case rebase(ValueBox, [LayerPlan], after: TimeSpan)
}
