import Synchronization

/// The time that an attempt of a fetch may take: either the attempt answers or its end comes first.
final class AttemptLimit: Sendable {
  private let isOver = Atomic(false)
  private let timer: Mutex<Task<Void, Never>?> = Mutex(nil)

  /// Ends the attempt, by its answer or by the time.
  ///
  /// - Returns: Whether it was not over yet; otherwise what came later is ignored.
  func end() -> Bool { !isOver.exchange(true, ordering: .relaxed) }

  /// Starts the time.
  ///
  /// The timer inherits the context of the attempt, because a retry is made from it.
  ///
  /// - Parameters:
  ///   - span: How long the attempt may take.
  ///   - scheduling: The clock that measures it, and the executor of the timer.
  ///   - onEnd: Called when the time is over, unless it is stopped.
  func start(
    _ span: TimeSpan,
    _ scheduling: Scheduling,
    onEnd: @escaping @Sendable () -> Void
  ) {
    let timer = TaskLocals.without {
      Task(executorPreference: scheduling.executor) {
        if (try? await scheduling.clock.sleep(for: span.duration)) != nil { onEnd() }
      }
    }
    self.timer.withLock { $0 = timer }
  }

  /// Stops the time.
  func stop() {
    timer.withLock { $0.take() }?.cancel()
  }
}
