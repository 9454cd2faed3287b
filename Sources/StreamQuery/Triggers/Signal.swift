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
/// What waits for the loop stays small, however fast the sources are: a key waits once, and a source
/// that is forwarded has one element under way.
///
/// The loop is started with the first signal source, so that a client that only reads and writes
/// starts no task.
final class SignalPort: Sendable {
  /// A signal on its way, and whom to tell that it was handled.
  struct Delivery: Sendable {
    let signal: Signal
    let receipt: AsyncStream<Void>.Continuation?
  }

  private struct State {
    var continuation: AsyncStream<Delivery>.Continuation?
    /// Keys of which a trigger waits for the loop: another one would ask for the same.
    var waiting: Set<EntryKey> = []
    var isFinished = false
  }

  private let state = Mutex(State())

  func send(_ signal: Signal, receipt: AsyncStream<Void>.Continuation? = nil) {
    let continuation = state.withLock { state -> AsyncStream<Delivery>.Continuation? in
      if case .query(let key) = signal {
        guard state.continuation != nil, state.waiting.insert(key).inserted else { return nil }
      }
      return state.continuation
    }
    continuation?.yield(Delivery(signal: signal, receipt: receipt))
  }

  /// Sends what a source says, each element once the one before was handled.
  ///
  /// It ends with the source, its failure, or the task: when the loop is over, nothing is handled any
  /// more, and whoever runs this has to be cancelled.
  func forward<Source: AsyncSequence>(
    _ source: Source,
    _ signal: (Source.Element) -> Signal
  ) async {
    let (receipts, receipt) = AsyncStream.makeStream(of: Void.self)
    var handled = receipts.makeAsyncIterator()
    do {
      for try await element in source {
        guard !Task.isCancelled else { return }
        send(signal(element), receipt: receipt)
        guard await handled.next() != nil else { return }
      }
    } catch {
      // A failed source says no more; its owner knows of the failure.
    }
  }

  /// The loop took a trigger of a query: from here on another one counts.
  func took(_ key: EntryKey) {
    // Returned, so that parts of the key are released outside the lock.
    _ = state.withLock { $0.waiting.remove(key) }
  }

  /// The stream, for the one who asks first.
  func open() -> AsyncStream<Delivery>? {
    guard state.withLock({ !$0.isFinished && $0.continuation == nil }) else { return nil }
    let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self)
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
