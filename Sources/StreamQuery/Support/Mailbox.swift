import Synchronization

/// The inbox of one reader, and the tasks in which the reader waits for more.
///
/// The mailbox keeps the task itself, not a ``OneShot``: a client's loop waits again after each signal,
/// without an allocation. Nothing is resumed or released under the lock.
final class Mailbox<Content: Inbox>: Sendable {
  private struct Waiting {
    var first: SuspendedTask<Void>?
    /// Further tasks; there are some only if several tasks iterate the same stream.
    var others: [SuspendedTask<Void>] = []

    mutating func append(_ task: SuspendedTask<Void>) {
      if first == nil { first = task } else { others.append(task) }
    }

    func resume() {
      first?.resume()
      for other in others { other.resume() }
    }
  }

  private struct State {
    /// The inbox; `nil` if no item can be taken any more.
    var inbox: Content? = Content()
    var isClosed = false
    var waiting = Waiting()

    mutating func takeWaiting() -> Waiting {
      defer { waiting = Waiting() }
      return waiting
    }
  }

  private let state = Mutex(State())

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Takes a message; it is ignored after the end.
  func receive(_ message: Content.Message) {
    let (waiting, dropped) = state.withLock { state -> (Waiting, Content.Message?) in
      guard !state.isClosed else { return (Waiting(), nil) }
      let dropped = state.inbox?.receive(message)
      return (state.takeWaiting(), dropped)
    }
    _ = dropped
    waiting.resume()
  }

  /// Ends the messages; a second call does nothing.
  ///
  /// - Parameter isDrained: Whether the items that are in the inbox can still be taken.
  func close(isDrained: Bool = false) {
    let (waiting, dropped) = state.withLock { state in
      state.isClosed = true
      return (state.takeWaiting(), isDrained ? nil : state.inbox.take())
    }
    _ = consume dropped
    waiting.resume()
  }

  /// The next item, if it is there already.
  func take() -> Content.Item? { state.withLock { $0.inbox?.takeNext() } }

  /// The next item, as soon as there is one; `nil` at the end, and if the task is cancelled.
  ///
  /// This is for readers that close the mailbox when they are cancelled, which ends the wait. So there is no
  /// cancellation handler: under an executor that runs jobs inside `enqueue`, the first handler that resumes
  /// the task would free it, and the runtime would go on to the next handler of the freed task.
  ///
  /// - Parameter whenSuspended: Called each time that the caller has begun to wait.
  /// - Returns: The item.
  func next(whenSuspended: () -> Void = {}) async -> Content.Item? {
    while true {
      let (item, isOver) = state.withLock { ($0.inbox?.takeNext(), $0.isClosed) }
      if item != nil || isOver || Task.isCancelled { return item }
      await SuspendedTask.suspend { task in
        // An item may have arrived since the check above.
        let isSuspended = state.withLock { state in
          guard !state.isClosed, state.inbox?.isEmpty == true else { return false }
          state.waiting.append(task)
          return true
        }
        guard isSuspended else { return () }
        whenSuspended()
        return nil
      }
    }
  }
}
