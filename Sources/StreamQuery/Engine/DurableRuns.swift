/// Keeps runs of mutations beyond the process: the client's view of the outbox.
///
/// A run is *stored* if the outbox has a record of it.
///
/// The client reports the progress of runs to this object, in the order of transactions and outside the lock.
package protocol DurableRuns: AnyObject, Sendable {
  /// Reads the stored runs for a client that begins.
  func start(for client: QueryClient)

  /// Whether the stored runs have not been read yet.
  var isRestoring: Bool { get }

  /// Whether runs cannot be stored now, because the store fails, or was not read in time.
  var isHeldUp: Bool { get }

  /// Waits until the stored runs have been read, until other runs no longer wait for that, or until the caller
  /// is cancelled.
  ///
  /// - Returns: The error of reading; `nil` if they have been read.
  func waitUntilRestored() async -> (any Error)?

  /// Repeats a failed read: it may succeed now, for example after a device was unlocked.
  func retryLoad()

  /// Begins stored runs whose mutation had no function to perform, if the changed defaults of mutations have
  /// one.
  func workChanged()

  /// Lets a run go on: a durable run once it is stored, another run once all earlier stored runs are known.
  func keep(_ job: MutationJob)

  /// Writes the progress of a stored run.
  func changed(_ job: MutationJob, _ progress: RunProgress)

  /// Begins an attempt of a stored run, in the task of the attempt.
  ///
  /// - Returns: Whether the attempt may begin: after the end of this client, another client may have taken
  ///   the run over.
  func attemptBegan(_ job: MutationJob) -> Bool

  /// Called at the end of an attempt, however it ended and whether or not anybody still waits for it.
  func attemptEnded(_ job: MutationJob)

  /// Records that a stored run's work has returned; called in the run's task, before the cache gets the
  /// output.
  func worked(_ job: MutationJob, _ output: ValueBox)

  /// Forgets the output of a run that the cache has forgotten.
  func answerDropped(_ job: MutationJob)

  /// Decides how a stored run goes on after its last attempt has failed.
  func answer(_ job: MutationJob, to error: any Error, attempt: Int) async -> RunAnswer

  /// Removes a stored run that is over.
  ///
  /// - Parameters:
  ///   - job: The run.
  ///   - ending: Its end.
  ///   - wasDurable: Whether the run was durable, and did not fail before it was given to the outbox; if not,
  ///     an archive may have brought it. If such a run failed, or `clear()` has ended it, its record stays,
  ///     and a durable run begins from the record.
  func ended(_ job: MutationJob, _ ending: MutationMachine.Ending, wasDurable: Bool)

  /// Writes all changes.
  ///
  /// - Returns: The error of writing; `nil` if all was written, or if the caller was cancelled.
  func save() async -> (any Error)?

  /// Ends the outbox after the end of the client, or of the account.
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

/// The decision about a stored run after its attempts have failed.
package enum RunAnswer: Sendable {
  /// The run fails.
  case fail
  /// The run stops until it is retried, gets another input or is cancelled.
  case stop
  /// Another attempt begins after a wait.
  case retry(after: TimeSpan)
  /// The run is another request from now on, with another input and layers, and is sent after a
  /// wait.
  case rebase(ValueBox, [LayerPlan], after: TimeSpan)
}
