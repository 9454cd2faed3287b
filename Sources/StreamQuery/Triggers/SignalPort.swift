import Synchronization

/// Merges all sources into one queue; a loop of the client consumes it.
///
/// What waits for the loop stays small, however fast the sources are: a key waits once, and a source
/// that is forwarded has one element under way.
///
/// The loop is started with the first signal source, so that a client that only reads and writes
/// starts no task. A queue of its own rather than an `AsyncStream`, which takes several times as long
/// for an element: each timer that fires comes through here.
final class SignalPort: Sendable {
  /// A signal on its way, and whom to tell that it was handled.
  struct Delivery: Sendable {
    let signal: Signal
    let receipt: AsyncStream<Void>.Continuation?
  }

  private struct State {
    /// What the loop has not taken yet, oldest first.
    var queue: [Delivery] = []
    /// The loop, while it has nothing to do.
    var loop: UnsafeContinuation<Void, Never>?
    /// Keys of which a trigger waits for the loop: another one would ask for the same.
    var waiting: Set<EntryKey> = []
    var isOpen = false
    var isFinished = false
  }

  private let state = Mutex(State())

  func send(_ signal: Signal, receipt: AsyncStream<Void>.Continuation? = nil) {
    let loop = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard state.isOpen, !state.isFinished else { return nil }
      if case .query(let key) = signal {
        guard state.waiting.insert(key).inserted else { return nil }
      }
      state.queue.append(Delivery(signal: signal, receipt: receipt))
      return state.loop.take()
    }
    loop?.resume()
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

  /// Whether a loop has to be started; `true` once.
  func open() -> Bool {
    state.withLock { state in
      guard !state.isFinished, !state.isOpen else { return false }
      state.isOpen = true
      return true
    }
  }

  /// Takes all that waits, as soon as there is something; for the one loop.
  ///
  /// - Parameter batch: Where it goes; empty, and its room is used again.
  /// - Returns: Whether there is something; `false` once the port is finished and empty. Cancelling
  ///   the task does not end the wait: whoever does so finishes the port.
  func take(into batch: inout [Delivery]) async -> Bool {
    while true {
      let isFinished = state.withLock { state in
        swap(&state.queue, &batch)
        return state.isFinished
      }
      if !batch.isEmpty { return true }
      if isFinished { return false }
      await withUnsafeContinuation { continuation in
        let isParked = state.withLock { state in
          guard state.queue.isEmpty, !state.isFinished else { return false }
          state.loop = continuation
          return true
        }
        if !isParked { continuation.resume() }
      }
    }
  }

  /// What was sent before is still taken; nothing after it.
  func finish() {
    let (loop, _) = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = [] }
      return (state.loop.take(), state.waiting)
    }
    loop?.resume()
  }
}
