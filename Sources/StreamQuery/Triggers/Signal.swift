import Synchronization

/// What reaches a client from asynchronous sources.
enum Signal: Sendable {
  /// The earliest deadline came.
  case time
  case online(Bool)
  case active(Bool)
  /// A stream of a query's own had an element.
  case query(EntryKey)
  case trigger(Trigger)
}

/// Merges all sources into one stream; a loop of the client consumes it.
///
/// The loop is started with the first signal source, so that a client that only reads and writes
/// starts no task.
final class SignalPort: Sendable {
  private struct State {
    var continuation: AsyncStream<Signal>.Continuation?
    /// Keys of which a trigger waits for the loop: another one would ask for the same.
    var waiting: Set<EntryKey> = []
    var isFinished = false
  }

  private let state = Mutex(State())

  func send(_ signal: Signal) {
    let continuation = state.withLock { state -> AsyncStream<Signal>.Continuation? in
      if case .query(let key) = signal {
        guard state.continuation != nil, state.waiting.insert(key).inserted else { return nil }
      }
      return state.continuation
    }
    continuation?.yield(signal)
  }

  /// The loop took a trigger of a query: from here on another one counts.
  func took(_ key: EntryKey) {
    // Returned, so that parts of the key are released outside the lock.
    _ = state.withLock { $0.waiting.remove(key) }
  }

  /// The stream, for the one who asks first.
  func open() -> AsyncStream<Signal>? {
    guard state.withLock({ !$0.isFinished && $0.continuation == nil }) else { return nil }
    let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
    let isFirst = state.withLock { state in
      guard !state.isFinished, state.continuation == nil else { return false }
      state.continuation = continuation
      return true
    }
    return isFirst ? stream : nil
  }

  func finish() {
    let (continuation, _) = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = [] }
      return (state.continuation.take(), state.waiting)
    }
    continuation?.finish()
  }
}
