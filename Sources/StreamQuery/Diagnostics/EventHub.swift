import Synchronization

/// Hands events to the configured closure and to the subscribers of ``QueryClient/events``.
final class EventHub: Sendable {
  /// How many events a slow subscriber may be behind before it misses the oldest.
  static let capacity = 1_024

  fileprivate struct Subscriber {
    var ring: [QueryEvent] = []
    var start = 0
    var missed = 0
    var parked: UnsafeContinuation<Void, Never>?
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var lastID = 0
    var isFinished = false
  }

  private let onEvent: (@Sendable (QueryEvent) -> Void)?
  private let state = Mutex(State())

  init(onEvent: (@Sendable (QueryEvent) -> Void)?) {
    self.onEvent = onEvent
  }

  var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }
  var needsEvents: Bool { onEvent != nil || hasSubscribers }

  func publish(_ event: QueryEvent) {
    onEvent?(event)
    let (parked, dropped) = state.withLock { state in
      var parked: [UnsafeContinuation<Void, Never>] = []
      var dropped: [QueryEvent] = []
      for id in state.subscribers.keys.sorted() {
        state.subscribers[id]?.append(event, dropped: &dropped)
        if let waiting = state.subscribers[id]?.parked.take() { parked.append(waiting) }
      }
      return (parked, dropped)
    }
    // Errors in events are the user's: they go outside the lock.
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

  func unsubscribe(_ id: Int) {
    let gone = state.withLock { $0.subscribers.removeValue(forKey: id) }
    gone?.parked?.resume()
  }

  func finish() {
    let gone = state.withLock { state in
      state.isFinished = true
      defer { state.subscribers = [:] }
      return state.subscribers.keys.sorted().compactMap { state.subscribers[$0]?.parked }
    }
    for parked in gone { parked.resume() }
  }

  /// The oldest event that the subscriber has not seen; `nil` at the end.
  func next(_ id: Int) async -> QueryEvent? {
    while true {
      let (isOver, event) = state.withLock { state -> (Bool, QueryEvent?) in
        guard state.subscribers[id] != nil else { return (true, nil) }
        return (false, state.subscribers[id]?.popFirst())
      }
      if isOver || event != nil { return event }
      if Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let isParked = state.withLock { state in
            guard let subscriber = state.subscribers[id], subscriber.isEmpty,
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

extension EventHub.Subscriber {
  fileprivate var isEmpty: Bool { ring.isEmpty && missed == 0 }

  /// A ring: the oldest event makes room.
  fileprivate mutating func append(_ event: QueryEvent, dropped: inout [QueryEvent]) {
    if ring.count < EventHub.capacity {
      ring.append(event)
    } else {
      dropped.append(ring[start])
      ring[start] = event
      start = (start + 1) % EventHub.capacity
      missed += 1
    }
  }

  fileprivate mutating func popFirst() -> QueryEvent? {
    if missed > 0 {
      defer { missed = 0 }
      let date = ring[start].date
      return QueryEvent(
        number: ring[start].number - 1,
        kind: .missed(count: missed),
        key: AnyQueryKey(parts: []),
        date: date,
        cause: nil,
        duration: nil
      )
    }
    guard !ring.isEmpty else { return nil }
    // Read to the end, the ring starts over; before that, reading moves the start.
    if start > 0 {
      ring = Array(ring[start...]) + Array(ring[..<start])
      start = 0
    }
    return ring.removeFirst()
  }
}
