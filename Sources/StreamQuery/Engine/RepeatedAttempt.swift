import Synchronization

/// Runs the fetch of one attempt each time that the companions around the attempt perform it.
///
/// Each run of the fetch after the first counts as a retry of the run before.
///
/// A failed fetch of pages continues with the page that failed, as a retry does. A fetch of pages that has
/// returned begins again; otherwise it would return the same pages once more. A stream that has ended begins
/// again over the data that it found first.
final class RepeatedAttempt: Sendable {
  private struct State {
    /// The progress of the fetch when the attempt began.
    var start: (any FetchProgress)?
    var hasBegun = false
    /// Whether the last run of the fetch had an answer.
    var hasAnswered = false
  }

  private let state = Mutex(State())

  /// Runs the fetch.
  ///
  /// - Parameters:
  ///   - fetch: The fetch.
  ///   - context: The attempt.
  /// - Returns: The value of the fetch.
  /// - Throws: The error of the fetch.
  func run(_ fetch: QueryDefinition.Fetch, _ context: FetchContext) async throws -> ValueBox {
    guard let job = context.fetchJob else { return try await fetch(context) }
    attemptBegan(job, context)
    do {
      let box = try await fetch(context)
      state.withLock { $0.hasAnswered = true }
      return box
    } catch is NotModified {
      state.withLock { $0.hasAnswered = true }
      throw NotModified()
    }
  }

  private func attemptBegan(_ job: FetchJob, _ context: FetchContext) {
    let present = job.progress.withLock { $0 }
    let former = state.withLock { state -> State? in
      defer { (state.hasBegun, state.hasAnswered) = (true, false) }
      if state.hasBegun { return state }
      state.start = present
      return nil
    }
    guard let former, !job.refuses(context.ordinal) else { return }
    if former.hasAnswered {
      job.keep(present?.repeated(from: former.start), by: context.ordinal)
    }
    // Statements about the age of an earlier answer no longer count.
    job.saidAnswer?.began(context.attempt, keepsPart: job.keepsPart)
  }
}
