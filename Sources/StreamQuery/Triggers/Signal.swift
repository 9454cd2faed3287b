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
    var isFinished = false
  }

  private let state = Mutex(State())

  func send(_ signal: Signal) {
    state.withLock { $0.continuation }?.yield(signal)
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
    let continuation = state.withLock { state in
      state.isFinished = true
      return state.continuation.take()
    }
    continuation?.finish()
  }
}
