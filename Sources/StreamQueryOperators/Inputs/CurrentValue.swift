internal import StreamQuery
internal import Synchronization

/// A value that you set and that any number of consumers follow, such as the text of a search field.
///
/// Each iterator first gets the present value, and then the newest one at each call. It misses values that
/// were replaced in between, so no values queue up. The value can be set and read from any thread.
///
/// ```swift
/// let text = CurrentValue("")
/// text.value = "swift"
/// let found = text.debounce(for: .milliseconds(300)).switchToLatest { client.stream(.search($0)) }
/// ```
///
/// - Finish: after ``finish()``, once an iterator has got the last value.
/// - Failure: none.
/// - Cancellation: an iterator ends with `nil`.
/// - Buffering: none beyond the value itself, and no task.
public final class CurrentValue<Value: Sendable>: AsyncSequence, Sendable {
  /// The type of the value.
  public typealias Element = Value

  /// An iteration cannot fail.
  public typealias Failure = Never

  private typealias Waiter = SuspendedTask<Void>

  private let state: Mutex<CurrentValueState<Value, Waiter>>

  /// Creates an object with a value.
  ///
  /// - Parameter value: The first value.
  public init(_ value: Value) {
    state = Mutex(CurrentValueState(value))
  }

  /// The present value.
  ///
  /// Setting the value resumes every waiting iterator. After ``finish()``, setting has no effect.
  ///
  /// - Complexity: O(*n*) in the number of iterators that wait.
  public var value: Value {
    get { state.withLock { $0.value } }
    set { _ = set(newValue, ifStill: nil) }
  }

  /// Changes the value in one step, so that no change of another thread comes in between.
  ///
  /// ```swift
  /// let count = CurrentValue(0)
  /// count.update { $0 += 1 }
  /// ```
  ///
  /// - Parameter change: Changes the value. It runs outside of locks, and runs again if another thread has
  ///   changed the value meanwhile. It must not set the value itself, or it would run again for ever.
  public func update(_ change: (inout Value) -> Void) {
    while true {
      let (present, version) = state.withLock { ($0.value, $0.version) }
      var changed = present
      change(&changed)
      if set(changed, ifStill: version) { return }
    }
  }

  /// Ends every iterator once it has got the last value; also iterators that are created later.
  public func finish() {
    let waiting = state.withLock { $0.finish() }
    for task in waiting { task.resume() }
  }

  /// Begins an iteration.
  ///
  /// - Returns: An iterator that gives the present value first.
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: self)
  }

  /// Sets the value, if its version is still the given one.
  ///
  /// - Returns: `false` if the value was set meanwhile, so that the change must run again.
  private func set(_ value: Value, ifStill version: UInt64?) -> Bool {
    var value = value
    let (waiting, isDone) = state.withLock { state -> ([Waiter], Bool) in
      if let version, version != state.version, !state.isFinished { return ([], false) }
      return (state.replace(&value), true)
    }
    // The former value is released here, outside the lock, because its release may run user code.
    _ = consume value
    for task in waiting { task.resume() }
    return isDone
  }

  fileprivate func next(
    after seen: UInt64?,
    isolation: isolated (any Actor)?
  ) async -> (
    value: Value, version: UInt64
  )? {
    let id = state.withLock { $0.makeWaitID() }
    while true {
      if Task.isCancelled { return nil }
      switch state.withLock({ $0.look(after: seen) }) {
      case .value(let value, let version): return (value, version)
      case .finished: return nil
      case .nothing: break
      }
      await withTaskCancellationHandler {
        // The closure captures the isolation, so that it stays on the caller's actor.
        _ = isolation
        await SuspendedTask.suspend(isolation: isolation) { task in
          // The task's cancellation is read under the lock. An earlier cancellation is seen here, and a later
          // one finds the waiting task.
          state.withLock { !Task.isCancelled && $0.park(task, id, after: seen) } ? nil : ()
        }
      } onCancel: {
        let waiter: Waiter? = state.withLock { $0.leave(id) }
        waiter?.resume()
      }
    }
  }
}

extension CurrentValue {
  /// Delivers the present value, and then each newest value that it has not delivered yet.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: CurrentValue
    private var seen: UInt64?

    fileprivate init(source: CurrentValue) {
      self.source = source
    }

    /// Waits for the next value.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The newest value; `nil` at the end, or when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      guard let next = await source.next(after: seen, isolation: actor) else { return nil }
      seen = next.version
      return next.value
    }
  }
}

@available(*, unavailable)
extension CurrentValue.Iterator: Sendable {}
