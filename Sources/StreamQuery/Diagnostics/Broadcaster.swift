import Synchronization

/// Hands messages to any number of subscribers, each with its own inbox.
///
/// The inbox is responsible for order, buffering and conflation. The hub parks and wakes, and never
/// resumes or releases anything under its lock. Subscribers to other topics are not visited: the
/// cost of a message depends only on the subscribers that it reaches.
final class Broadcaster<Inbox: BroadcasterInbox>: Sendable {
  private struct Subscriber {
    var inbox = Inbox()
    /// More than one only if several tasks iterate the same stream.
    var suspended: [UnsafeContinuation<Void, Never>] = []
    /// The topics that it wants to hear of; `nil` is everything.
    var topics: [Inbox.Topic]?
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    /// The subscriptions to everything.
    var general = Audience()
    var topics: [Inbox.Topic: Audience] = [:]
    var lastID = 0
    var isFinished = false

    /// The subscriptions that a message reaches, in the order of subscription; some may have ended.
    func audience(of about: [Inbox.Topic]) -> [Int] {
      var ids = general.ids
      guard !topics.isEmpty else { return ids }
      let generalCount = ids.count
      for topic in about { if let audience = topics[topic] { ids += audience.ids } }
      if ids.count > generalCount { ids.sort() }
      return ids
    }

    /// Removes a subscription and returns it with the topics that have no subscription left, since
    /// the parts of keys are the user's and must be released outside the lock.
    mutating func remove(_ id: Int) -> (gone: Subscriber?, topics: [Inbox.Topic]) {
      guard let gone = subscribers.removeValue(forKey: id) else { return (nil, []) }
      guard let topics = gone.topics else {
        general.lostOne { [subscribers] in subscribers[$0] != nil }
        return (gone, [])
      }
      var unused: [Inbox.Topic] = []
      for topic in topics {
        guard let place = self.topics.index(forKey: topic) else { continue }
        self.topics.values[place].lostOne { [subscribers] in subscribers[$0] != nil }
        guard self.topics.values[place].ids.isEmpty else { continue }
        unused.append(self.topics[place].key)
        self.topics.remove(at: place)
      }
      return (gone, unused)
    }
  }

  private let state = Mutex(State())

  var hasSubscribers: Bool { state.withLock { !$0.subscribers.isEmpty } }

  /// Hands a message to the subscriptions to everything and to those to one of some topics.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - topics: The topics of the message.
  /// - Complexity: O(*n* log *n*) in the number of subscriptions that it reaches.
  func send(_ message: Inbox.Message, about topics: [Inbox.Topic] = []) {
    let (suspended, dropped) = state.withLock { state in
      var suspended: [UnsafeContinuation<Void, Never>] = []
      var dropped: [Inbox.Message] = []
      // In order of subscription: no output depends on the order of a dictionary.
      for id in state.audience(of: topics) {
        guard let waiting = state.subscribers[id]?.suspended else { continue }
        if let old = state.subscribers[id]?.inbox.receive(message) { dropped.append(old) }
        guard !waiting.isEmpty else { continue }
        suspended += waiting
        state.subscribers[id]?.suspended = []
      }
      return (suspended, dropped)
    }
    _ = dropped
    for waiting in suspended { waiting.resume() }
  }

  /// Begins a subscription.
  ///
  /// - Parameter topics: The topics of the subscription, each once; `nil` is everything.
  /// - Returns: The number of the subscription; `nil` after the end.
  func subscribe(to topics: [Inbox.Topic]? = nil) -> Int? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastID += 1
      state.subscribers[state.lastID] = Subscriber(topics: topics)
      if let topics {
        for topic in topics { state.topics[topic, default: Audience()].append(state.lastID) }
      } else {
        state.general.append(state.lastID)
      }
      return state.lastID
    }
  }

  /// Ends a subscription; a second call is a no-op.
  func unsubscribe(_ id: Int) {
    let removed = state.withLock { $0.remove(id) }
    for waiting in removed.gone?.suspended ?? [] { waiting.resume() }
  }

  /// Ends all subscriptions, and refuses new ones.
  func finish() {
    let (gone, topics) = state.withLock { state in
      state.isFinished = true
      defer {
        state.subscribers = [:]
        state.general = Audience()
        state.topics = [:]
      }
      return (state.subscribers, state.topics)
    }
    // The keys are released here, outside the lock.
    _ = consume topics
    guard !gone.isEmpty else { return }
    for id in gone.keys.sorted() {
      for waiting in gone[id]?.suspended ?? [] { waiting.resume() }
    }
  }

  /// The next item of a subscription, as soon as there is one; `nil` at its end.
  ///
  /// For streams that unsubscribe when they are cancelled, which ends the wait. It has no
  /// cancellation handler: under an executor that runs jobs inside `enqueue`, the first handler
  /// that resumes the task would free it, and the runtime would go on to the next handler of the
  /// freed task.
  ///
  /// - Parameters:
  ///   - id: The subscription.
  ///   - whenSuspended: Called each time that the caller has begun to wait.
  /// - Returns: The item.
  func next(_ id: Int, whenSuspended: () -> Void = {}) async -> Inbox.Item? {
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
      await withUnsafeContinuation { continuation in
        // An item may have arrived since the check above.
        let isSuspended = state.withLock { state in
          guard state.subscribers[id]?.inbox.isEmpty == true else { return false }
          state.subscribers[id]?.suspended.append(continuation)
          return true
        }
        guard isSuspended else { return continuation.resume() }
        whenSuspended()
      }
    }
  }
}

/// Subscriptions of one kind, in the order in which they began.
///
/// Ended subscriptions are removed all at once when they outnumber the others, so that each costs a
/// constant amount, wherever it stands.
struct Audience: Sendable {
  /// Some of them may have ended.
  private(set) var ids: [Int] = []
  private var goneCount = 0

  /// Adds a subscription that is newer than all others.
  mutating func append(_ id: Int) {
    ids.append(id)
  }

  /// One of them ended.
  ///
  /// - Parameter stays: Whether a subscription continues.
  mutating func lostOne(_ stays: (Int) -> Bool) {
    goneCount += 1
    guard goneCount * 2 > ids.count else { return }
    ids.removeAll { !stays($0) }
    goneCount = 0
  }
}
