internal import StreamQuery
internal import Synchronization

/// The reason why a simulation could not bring an operation to its end.
public struct SimulationError: Error, Hashable, CustomStringConvertible {
  /// A sentence about the failure.
  public let description: String
}

extension Simulation {
  /// The limit of jobs for one `run`, as a multiple of the limit at one instant; it stops a run in which
  /// timers fire endlessly.
  private static var runLimitFactor: Int { 10 }

  /// Runs an operation to its end, synchronously, and moves time whenever no job is ready.
  ///
  /// ```swift
  /// let user = try simulation.run { try await client.fetch(.user(42)) }
  /// ```
  ///
  /// When the call returns, all jobs that were ready at that instant have run, too.
  ///
  /// The call fails the test and cancels the operation if the operation cannot end (no job is ready and no
  /// task sleeps), or if a limit of jobs is reached. If the operation ends then, its outcome is returned or
  /// thrown. If the operation ignores the cancellation, `SimulationError` is thrown if the operation's
  /// failure type allows that, and an operation without a value just returns. Otherwise the process ends,
  /// because there is nothing to return.
  ///
  /// - Parameter operation: The operation, which has the simulation as its executor and `Scheduling`.
  /// - Returns: The operation's value.
  /// - Throws: The operation's error, or `SimulationError` if the operation did not end.
  public func run<Value: Sendable, Failure: Error>(
    _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard core.read({ $0.beginDriving(from: .current) }) else {
      return try unfinished("`run` was called while the simulation was being driven.", Failure.self)
    }
    core.waits.driveBegan()
    let outcome = Outcome<Value, Failure>()
    let task = start {
      do throws(Failure) {
        outcome.set(.success(try await operation()))
      } catch {
        outcome.set(.failure(error))
      }
    }
    let result = finish(outcome) { task.cancel() }
    core.read { $0.endDriving() }
    deliverFailures()
    guard let result else {
      return try unfinished(
        "The operation of `run` did not end, not even when it was cancelled.",
        Failure.self
      )
    }
    return try result.get()
  }

  private func finish<Value, Failure>(
    _ outcome: Outcome<Value, Failure>,
    cancel: () -> Void
  ) -> Result<Value, Failure>? {
    var isCancelled = false
    var lastJob = runLimit
    while true {
      let isSettled = core.settle()
      if let result = outcome.result { return result }
      if isSettled, jobCount < lastJob, core.read({ $0.moveToNextDeadline(notAfter: nil) }) {
        continue
      }
      if isCancelled { return nil }
      if isSettled {
        let message = stuckMessage(atLimit: jobCount >= lastJob)
        core.read { $0.fail(message) }
      }
      isCancelled = true
      core.read { $0.grantFreshLimit() }
      lastJob = runLimit
      cancel()
    }
  }

  /// The number of jobs at which a run that starts now is given up.
  private var runLimit: Int {
    core.read { state in
      let (span, overflows) = state.jobLimit.multipliedReportingOverflow(by: Self.runLimitFactor)
      return overflows ? .max : state.jobCount &+ min(span, .max - state.jobCount)
    }
  }

  private func stuckMessage(atLimit: Bool) -> String {
    "\(stuckSentence(atLimit: atLimit))\n\(pending.text)"
  }

  private func stuckSentence(atLimit: Bool) -> String {
    if atLimit {
      return """
        The operation of `run` did not end within \(Self.runLimitFactor) times `jobLimit` jobs, \
        though time moved on: it waits for something that timers do not bring. It was cancelled.
        """
    }
    return """
      The operation of `run` would wait for ever: nothing is ready and nobody sleeps. It was \
      cancelled. Look for a continuation or a stream that nobody resumes, and for work that was \
      started outside the simulation.
      """
  }

  func unfinished<Value, Failure: Error>(
    _ message: String,
    _: Failure.Type
  ) throws(Failure) -> Value {
    if let error = SimulationError(description: message) as? Failure { throw error }
    if let nothing = () as? Value { return nothing }
    // The error cannot be thrown and there is no value to return, so only the process can end.
    fatalError(message)
  }
}

/// The result of the task that `run` starts; `nil` until the task ends.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
  private let stored = Mutex<Result<Value, Failure>?>(nil)

  var result: Result<Value, Failure>? { stored.withLock { $0 } }

  func set(_ result: Result<Value, Failure>) {
    stored.withLock { $0 = result }
  }
}
