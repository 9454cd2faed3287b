import Synchronization

/// The time that an attempt of a fetch may take: either the attempt answers or its end comes first.
final class AttemptLimit: Sendable {
  private let isOver = Atomic(false)
  private let deadline: Mutex<Deadline?> = Mutex(nil)

  /// Ends the attempt, by its answer or by the time.
  ///
  /// - Returns: Whether it was not over yet; otherwise what came later is ignored.
  func end() -> Bool { !isOver.exchange(true, ordering: .relaxed) }

  /// Starts the time.
  ///
  /// - Parameters:
  ///   - span: How long the attempt may take.
  ///   - deadlines: Where the end of the time is set.
  ///   - onEnd: Called when the time is over, unless it is stopped.
  func start(_ span: TimeSpan, _ deadlines: Deadlines, onEnd: @escaping @Sendable () -> Void) {
    let deadline = deadlines.set(span, onEnd)
    self.deadline.withLock { $0 = deadline }
  }

  /// Stops the time.
  func stop() {
    deadline.withLock { $0.take() }?.cancel()
  }
}
