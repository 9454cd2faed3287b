internal import StreamQuery
internal import Synchronization

/// A value that a test changes by hand, such as connectivity, activity, or any other source of state.
///
/// Every iterator gets the present value and then every later one, even equal ones, in order. No value is
/// omitted, so that a test which goes offline and online at once shows both changes. Unread values are stored
/// without a limit.
///
/// ```swift
/// let connectivity = ManualSignal(true)
/// connectivity.send(false)
/// simulation.settle()                 // everybody who listens has heard it now
/// ```
///
/// An iterator ends when its task is cancelled, or after `finish()`. Its release ends the subscription.
public final class ManualSignal<Value: Sendable>: AsyncSequence, Sendable {
  /// The signal never fails.
  public typealias Failure = Never
  /// The values that the signal delivers.
  public typealias Element = Value

  private let hub: ManualSignalHub<Value>

  /// Creates a signal.
  ///
  /// - Parameter value: The first value, until `send(_:)` changes it.
  public init(_ value: Value) {
    hub = ManualSignalHub(value)
  }

  /// The present value.
  public var value: Value {
    hub.value
  }

  /// The number of iterators that exist.
  public var consumerCount: Int {
    hub.consumerCount
  }

  /// Changes the value and sends it to every iterator; does nothing after `finish()`.
  ///
  /// - Parameter value: The new value, which may equal the old one.
  /// - Complexity: O(*n*) in the number of iterators.
  public func send(_ value: Value) {
    hub.send(value)
  }

  /// Ends every iterator once it has read the waiting values; a new iterator gets the last value and ends.
  public func finish() {
    hub.finish()
  }

  /// Begins an iteration, which subscribes to the signal.
  ///
  /// - Returns: An iterator that starts with the present value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: ManualSignalSubscription(hub: hub))
  }

  /// Delivers the values of the signal to one consumer.
  public struct Iterator: AsyncIteratorProtocol {
    /// The signal never fails.
    public typealias Failure = Never

    fileprivate let subscription: ManualSignalSubscription<Value>

    /// Waits for the next value.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The value, or `nil` when the signal has finished or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await subscription.next(isolation: actor)
    }

    /// Waits for the next value.
    ///
    /// - Returns: The value, or `nil` when the signal has finished or the task is cancelled.
    public mutating func next() async -> Value? {
      await subscription.next(isolation: #isolation)
    }
  }
}

/// The subscription of one iterator; the release of its last reference ends the subscription.
private final class ManualSignalSubscription<Value: Sendable>: Sendable {
  private let hub: ManualSignalHub<Value>
  private let id: Int

  init(hub: ManualSignalHub<Value>) {
    self.hub = hub
    id = hub.subscribe()
  }

  deinit {
    hub.unsubscribe(id)
  }

  func next(isolation actor: isolated (any Actor)?) async -> Value? {
    let hub = hub
    let id = id
    return await withTaskCancellationHandler {
      await SuspendedTask.suspend(isolation: actor) { hub.take($0, for: id) }
    } onCancel: {
      hub.cancel(id)
    }
  }
}

private final class ManualSignalHub<Value: Sendable>: Sendable {
  typealias Waiter = SuspendedTask<Value?>

  private struct Consumer {
    var unread: [Value]
    var waiter: Waiter?
    var isCancelled = false
  }

  private struct State {
    var value: Value
    var isFinished = false
    var lastID = 0
    var consumers: [Int: Consumer] = [:]
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  var value: Value { state.withLock { $0.value } }
  var consumerCount: Int { state.withLock { $0.consumers.count } }

  func subscribe() -> Int {
    state.withLock { state in
      state.lastID += 1
      state.consumers[state.lastID] = Consumer(unread: [state.value])
      return state.lastID
    }
  }

  func unsubscribe(_ id: Int) {
    let consumer = state.withLock { $0.consumers.removeValue(forKey: id) }
    consumer?.waiter?.resume(returning: nil)
  }

  /// Takes the next unread value of a consumer; `nil` if the consumer has to wait, and `.some(nil)` at the
  /// end.
  func take(_ waiter: Waiter, for id: Int) -> Value?? {
    state.withLock { state in
      guard var consumer = state.consumers.removeValue(forKey: id) else { return .some(nil) }
      defer { state.consumers[id] = consumer }
      // A second wait on the same iterator is misuse: it ends at once, so that the first wait is not lost.
      if consumer.isCancelled || consumer.waiter != nil { return .some(nil) }
      if !consumer.unread.isEmpty { return .some(consumer.unread.removeFirst()) }
      if state.isFinished { return .some(nil) }
      consumer.waiter = waiter
      return .none
    }
  }

  func cancel(_ id: Int) {
    let waiter = state.withLock { state in
      state.consumers[id]?.isCancelled = true
      return state.consumers[id]?.waiter.take()
    }
    waiter?.resume(returning: nil)
  }

  func send(_ value: Value) {
    let (waiters, dropped) = state.withLock { state -> ([Waiter], Value?) in
      guard !state.isFinished else { return ([], nil) }
      // The former value is released outside the lock, because its release may run code of the test.
      let dropped = state.value
      state.value = value
      var waiters: [Waiter] = []
      // The consumers are visited in order of subscription, because the order of a dictionary differs from
      // run to run.
      for id in state.consumers.keys.sorted() {
        if let waiter = state.consumers[id]?.waiter.take() {
          waiters.append(waiter)
        } else {
          state.consumers[id]?.unread.append(value)
        }
      }
      return (waiters, dropped)
    }
    _ = dropped
    for waiter in waiters { waiter.resume(returning: value) }
  }

  func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.consumers.keys.sorted().compactMap { state.consumers[$0]?.waiter.take() }
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }
}
