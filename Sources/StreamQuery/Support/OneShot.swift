import Synchronization

/// One value for one waiting task, whichever of the two comes first.
///
/// The owner stores a one-shot in place; several owners share a ``SharedOneShot``.
struct OneShot<Value: Sendable>: ~Copyable, Sendable {
  // The type is not private: the files of its owners need it for their layout, and Swift 6.3 emits
  // a broken reference to a private one in debug builds.
  enum State {
    case empty
    case given(Value)
    case awaited(SuspendedTask<Value?>)
    case over
  }

  private let state = Mutex(State.empty)

  /// Whether the value was taken, or will never be.
  var isOver: Bool {
    if case .over = state.withLock({ $0 }) { true } else { false }
  }

  /// Whether the value was given, or will never be.
  var isSettled: Bool {
    state.withLock { state in
      switch state {
      case .empty, .awaited: false
      case .given, .over: true
      }
    }
  }

  /// Gives the value; only the first one counts.
  func give(_ value: Value) { resolve(value)?.resume() }

  /// States that there will be no value; does nothing if the value was given.
  func close() { resolve(nil)?.resume() }

  /// Gives the value; the calling code then resumes the waiting task.
  ///
  /// - Parameter value: The value; `nil` if there will be none.
  /// - Returns: The resumption of the task; `nil` if this is not the first value.
  func resolve(_ value: Value?) -> Resumption? {
    state.withLock { state in
      switch state {
      case .empty:
        state = value.map { .given($0) } ?? .over
        return Resumption(task: nil, value: value)
      case .awaited(let waiting):
        state = .over
        return Resumption(task: waiting, value: value)
      case .given, .over:
        return nil
      }
    }
  }

  /// A task that is to be resumed with a value, outside of locks.
  struct Resumption: Sendable {
    /// The task; `nil` if it is not suspended yet, and will find the value.
    fileprivate let task: SuspendedTask<Value?>?
    fileprivate let value: Value?

    func resume() { task?.resume(returning: value) }
  }

  /// Waits for the value.
  ///
  /// - Parameter whenSuspended: Called when the caller has begun to wait.
  /// - Returns: The value; `nil` if there is none, or if another task takes it. Cancelling the task
  ///   does not end the wait: for that, give a value on cancellation.
  func wait(whenSuspended: () -> Void = {}) async -> Value? {
    await SuspendedTask.suspend { task in
      let found = state.withLock { state -> Value?? in
        switch state {
        case .empty:
          state = .awaited(task)
          return .none
        case .given(let value):
          state = .over
          return .some(value)
        case .awaited, .over: return .some(nil)
        }
      }
      if found == nil { whenSuspended() }
      return found
    }
  }
}

/// A ``OneShot`` with several owners.
package final class SharedOneShot<Value: Sendable>: Sendable {
  private let shot = OneShot<Value>()

  package init() {}

  var isSettled: Bool { shot.isSettled }

  package func give(_ value: Value) { shot.give(value) }

  func close() { shot.close() }

  package func wait(whenSuspended: () -> Void = {}) async -> Value? {
    await shot.wait(whenSuspended: whenSuspended)
  }

  /// Waits for the value, or until the caller is cancelled.
  ///
  /// - Parameters:
  ///   - value: The value for a caller that is cancelled.
  ///   - whenSuspended: Called when the caller has begun to wait.
  /// - Returns: The value; `nil` if there is none, or if another task takes it.
  package func take(orGive value: Value, whenSuspended: () -> Void = {}) async -> Value? {
    await withTaskCancellationHandler {
      await wait(whenSuspended: whenSuspended)
    } onCancel: {
      give(value)
    }
  }
}

/// A task that waits to be resumed, once; all waits of the library suspend tasks this way.
///
/// A mailbox, a one-shot and an observer keep the suspended task in their own state, and resume it
/// outside of locks.
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

  /// Suspends the current task, unless `store` returns a value at once.
  ///
  /// A cancellation does not end the wait: for that, resume the task on cancellation.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which is kept.
  ///   - store: Keeps the task until it can be resumed, or returns the value at once.
  /// - Returns: The value with which the task is resumed.
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

/// Keeps an object alive while one of its methods resumes a task that waits.
///
/// An executor may run jobs inside `enqueue`. The waiter then finishes before `resume` returns, and
/// its stack frame is released with everything that was captured there, including the object whose
/// method is running. The compiler assumes that a closure keeps its captures for as long as it
/// runs, so it may optimise away a copy of the reference. A reference behind a lock stays.
///
/// - Parameters:
///   - object: The object that must outlive the body.
///   - body: Resumes the waiter.
func holding<Object: AnyObject & Sendable>(_ object: Object, _ body: () -> Void) {
  let held = Mutex<Object?>(object)
  body()
  _ = held.withLock { $0.take() }
}
