import Synchronization

/// Tells who counts fetching entries that the number may have changed.
///
/// It carries no number: whoever wakes counts for itself, so that the newest always wins.
final class CountHub: Sendable {
  private struct Subscriber {
    /// Each begins with news: the number at the start.
    var hasNews = true
    var parked: UnsafeContinuation<Void, Never>?
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var lastID = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

  func changed() {
    let parked = state.withLock { state in
      state.subscribers.keys.sorted().compactMap { id -> UnsafeContinuation<Void, Never>? in
        state.subscribers[id]?.hasNews = true
        return state.subscribers[id]?.parked.take()
      }
    }
    for waiting in parked { waiting.resume() }
  }

  func subscribe() -> Int? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastID += 1
      state.subscribers[state.lastID] = Subscriber()
      return state.lastID
    }
  }

  func unsubscribe(_ id: Int) {
    let gone = state.withLock { $0.subscribers.removeValue(forKey: id) }
    gone?.parked?.resume()
  }

  func finish() {
    let parked = state.withLock { state in
      state.isFinished = true
      defer { state.subscribers = [:] }
      return state.subscribers.keys.sorted().compactMap { state.subscribers[$0]?.parked }
    }
    for waiting in parked { waiting.resume() }
  }

  /// Waits for news; `false` at the end.
  func next(_ id: Int) async -> Bool {
    while true {
      let (isOver, hasNews) = state.withLock { state -> (Bool, Bool) in
        guard let subscriber = state.subscribers[id] else { return (true, false) }
        state.subscribers[id]?.hasNews = false
        return (false, subscriber.hasNews)
      }
      if isOver { return false }
      if hasNews { return true }
      if Task.isCancelled { return false }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let isParked = state.withLock { state in
            guard let subscriber = state.subscribers[id], !subscriber.hasNews,
              subscriber.parked == nil
            else { return false }
            state.subscribers[id]?.parked = continuation
            return true
          }
          if !isParked { continuation.resume() }
        }
      } onCancel: {
        unsubscribe(id)
      }
    }
  }
}

/// The number that a consumer saw last.
final class LastCount: Sendable {
  private let last = Mutex<Int?>(nil)

  func changed(to count: Int) -> Bool {
    last.withLock { last in
      defer { last = count }
      return last != count
    }
  }
}

/// Ends a subscription once: by cancellation, or when the last reference to its stream goes.
final class HubSubscription: Sendable {
  private let onEnd: @Sendable () -> Void
  private let isEnded = Atomic(false)

  init(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
  }

  deinit {
    end()
  }

  func end() {
    if !isEnded.exchange(true, ordering: .acquiringAndReleasing) { onEnd() }
  }
}
