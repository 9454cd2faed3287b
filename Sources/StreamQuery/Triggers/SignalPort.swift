import Synchronization

/// Merges all sources into one queue, which a loop of the client consumes.
///
/// Few items wait for the loop, however fast the sources are: a key waits at most once, and a
/// forwarded source has at most one element under way.
///
/// The loop is started with the first signal source, so that a client that only reads and writes
/// starts no task. It has its own queue rather than an `AsyncStream`, which takes several times as
/// long for an element: each timer that fires comes through here.
final class SignalPort: Sendable {
  /// A signal on its way, and the waiter for its completion.
  struct Delivery: Sendable {
    let signal: Signal
    let receipt: AsyncStream<Void>.Continuation?
  }

  private struct State {
    /// What the loop has not taken yet, oldest first.
    var queue: [Delivery] = []
    /// The loop, while it has nothing to do.
    var loop: UnsafeContinuation<Void, Never>?
    /// Keys with a trigger that waits for the loop: a second trigger would request the same.
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

  /// Forwards the elements of a source, each after the one before was handled.
  ///
  /// It ends with the source, its failure, or the task. When the loop is over, nothing is handled
  /// any more, and the caller has to cancel this task.
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
      // A failed source sends no more; its owner knows of the failure.
    }
  }

  /// The loop has taken a trigger of a query: from now on another one counts.
  func took(_ key: EntryKey) {
    // Returned, so that parts of the key are released outside the lock.
    _ = state.withLock { $0.waiting.remove(key) }
  }

  /// Whether a loop has to be started; `true` only once.
  func open() -> Bool {
    state.withLock { state in
      guard !state.isFinished, !state.isOpen else { return false }
      state.isOpen = true
      return true
    }
  }

  /// Takes all waiting signals, as soon as there are any; for the one loop.
  ///
  /// - Parameter batch: Receives the signals; empty on entry, and its storage is reused.
  /// - Returns: Whether there is a signal; `false` once the port is finished and empty. Cancelling
  ///   the task does not end the wait: the canceller must finish the port.
  func take(into batch: inout [Delivery]) async -> Bool {
    while true {
      let isFinished = state.withLock { state in
        swap(&state.queue, &batch)
        return state.isFinished
      }
      if !batch.isEmpty { return true }
      if isFinished { return false }
      await withUnsafeContinuation { continuation in
        let isSuspended = state.withLock { state in
          guard state.queue.isEmpty, !state.isFinished else { return false }
          state.loop = continuation
          return true
        }
        if !isSuspended { continuation.resume() }
      }
    }
  }

  /// Signals that were sent before are still taken; none after it.
  func finish() {
    let (loop, _) = state.withLock { state in
      state.isFinished = true
      defer { state.waiting = [] }
      return (state.loop.take(), state.waiting)
    }
    loop?.resume()
  }
}
