import Synchronization

/// What one subscriber of a hub has not seen yet.
protocol HubInbox: Sendable {
  associatedtype Message: Sendable
  associatedtype Item: Sendable

  init()

  /// Takes a message; what has to make room for it is handed out, to be released outside the lock.
  mutating func receive(_ message: Message) -> Message?

  /// The next item, if there is one.
  mutating func take() -> Item?

  /// Whether there is none.
  var isEmpty: Bool { get }
}

/// Hands messages to any number of subscribers, each with an inbox of its own.
///
/// Order, buffering and conflation are the inbox's; the hub parks and wakes, and never resumes or
/// releases anything under its lock.
final class Hub<Inbox: HubInbox>: Sendable {
  private struct Subscriber {
    var inbox = Inbox()
    /// More than one only if several tasks iterate one stream.
    var parked: [UnsafeContinuation<Void, Never>] = []
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var lastID = 0
    var isFinished = false
  }

  private let state = Mutex(State())

  var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

  func send(_ message: Inbox.Message) {
    let (parked, dropped) = state.withLock { state in
      var parked: [UnsafeContinuation<Void, Never>] = []
      var dropped: [Inbox.Message] = []
      // In order of subscription: no output depends on the order of a dictionary.
      for id in state.subscribers.keys.sorted() {
        if let old = state.subscribers[id]?.inbox.receive(message) { dropped.append(old) }
        parked += state.subscribers[id]?.parked ?? []
        state.subscribers[id]?.parked = []
      }
      return (parked, dropped)
    }
    _ = dropped
    for waiting in parked { waiting.resume() }
  }

  /// Begins a subscription; `nil` after the end.
  func subscribe() -> Int? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastID += 1
      state.subscribers[state.lastID] = Subscriber()
      return state.lastID
    }
  }

  /// Ends a subscription; a second time is a no-op.
  func unsubscribe(_ id: Int) {
    let gone = state.withLock { $0.subscribers.removeValue(forKey: id) }
    for waiting in gone?.parked ?? [] { waiting.resume() }
  }

  /// Ends all subscriptions, and refuses new ones.
  func finish() {
    let gone = state.withLock { state in
      state.isFinished = true
      let gone = state.subscribers
      state.subscribers = [:]
      return gone
    }
    guard !gone.isEmpty else { return }
    for id in gone.keys.sorted() {
      for waiting in gone[id]?.parked ?? [] { waiting.resume() }
    }
  }

  /// The next item of a subscription, as soon as there is one; `nil` at its end.
  ///
  /// Cancelling the task ends the subscription at once.
  func next(_ id: Int) async -> Inbox.Item? {
    while true {
      let (isOver, item) = state.withLock { state -> (Bool, Inbox.Item?) in
        guard state.subscribers[id] != nil else { return (true, nil) }
        return (false, state.subscribers[id]?.inbox.take())
      }
      if isOver || item != nil { return item }
      if Task.isCancelled {
        unsubscribe(id)
        return nil
      }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          // Something may have come since the look above.
          let isParked = state.withLock { state in
            guard state.subscribers[id]?.inbox.isEmpty == true else { return false }
            state.subscribers[id]?.parked.append(continuation)
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
