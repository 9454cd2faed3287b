/// A task that waits to be resumed, once: the one way to park a task.
///
/// What waits differs (a value for one task, the items of a mailbox, news of an entry), so each
/// keeps the suspended task in its own state, and resumes it outside of locks.
@usableFromInline
@frozen
package struct SuspendedTask<Value: Sendable>: Sendable {
  @usableFromInline let continuation: UnsafeContinuation<Value, Never>

  @usableFromInline
  init(_ continuation: UnsafeContinuation<Value, Never>) {
    self.continuation = continuation
  }

  /// Continues the task; called exactly once, and never under a lock.
  @inlinable
  package func resume(returning value: Value) { continuation.resume(returning: value) }

  /// Suspends the current task, unless it need not wait.
  ///
  /// A cancellation does not end the wait: whoever wants that resumes the task on cancellation.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which is kept.
  ///   - store: Keeps the task until it can be resumed, or returns what it would wait for.
  /// - Returns: What the task is resumed with.
  @inlinable
  @inline(__always)
  package static func suspend(
    isolation: isolated (any Actor)? = #isolation,
    _ store: (SuspendedTask) -> Value?
  ) async -> Value {
    await withUnsafeContinuation(isolation: isolation) { continuation in
      if let value = store(SuspendedTask(continuation)) { continuation.resume(returning: value) }
    }
  }
}

extension SuspendedTask<Void> {
  /// Continues the task; called exactly once, and never under a lock.
  @inlinable
  package func resume() { continuation.resume() }
}
