import Synchronization

/// Hands messages to any number of subscribers, each with its own mailbox.
///
/// Messages are sent one after the other. Subscribers to other topics are not visited: the cost of
/// a message depends only on the subscribers that it reaches.
final class Broadcaster<Content: Inbox>: Sendable {
  private struct Member: Sendable {
    let number: Int
    let mailbox = Mailbox<Content>()
  }

  /// The subscriptions to one topic, or to everything, in the order in which they began.
  ///
  /// Ended subscriptions are removed all at once when they outnumber the active ones, so that each
  /// removal has an amortised constant cost.
  private struct Audience: Sendable {
    /// The subscriptions; some of them may have ended.
    var members: [Member] = []
    private var goneCount = 0

    mutating func lostOne() {
      goneCount += 1
      guard goneCount * 2 > members.count else { return }
      members.removeAll(where: \.mailbox.isClosed)
      goneCount = 0
    }
  }

  private struct State {
    /// The subscriptions to everything.
    var general = Audience()
    var topics: [Content.Topic: Audience] = [:]
    var count = 0
    var lastNumber = 0
    var isFinished = false

    /// The subscriptions that a message reaches, in the order of subscription: no output depends on
    /// the order of a dictionary.
    func members(about topics: [Content.Topic]) -> [Member] {
      var members = general.members
      guard !self.topics.isEmpty else { return members }
      for topic in topics { members += self.topics[topic]?.members ?? [] }
      if members.count > general.members.count { members.sort { $0.number < $1.number } }
      return members
    }

    /// Counts the end of a subscription, and returns the topics that have no subscription left.
    ///
    /// The caller releases these topics outside the lock, because they may hold parts of keys.
    mutating func lostOne(of lost: [Content.Topic]?) -> [Content.Topic] {
      guard !isFinished else { return [] }
      count -= 1
      if lost == nil { general.lostOne() }
      return (lost ?? []).compactMap { topic in
        guard let index = topics.index(forKey: topic) else { return nil }
        topics.values[index].lostOne()
        return topics[index].value.members.isEmpty ? topics.remove(at: index).key : nil
      }
    }
  }

  private let state = Mutex(State())

  var hasSubscribers: Bool { state.withLock { $0.count > 0 } }

  /// Hands a message to the subscriptions to its topics, and to the subscriptions to everything.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - topics: The topics of the message.
  /// - Complexity: O(*n* log *n*) in the number of subscriptions that the message reaches.
  func send(_ message: Content.Message, about topics: [Content.Topic] = []) {
    for member in state.withLock({ $0.members(about: topics) }) { member.mailbox.receive(message) }
  }

  /// Begins a subscription.
  ///
  /// - Parameters:
  ///   - topics: The topics of the subscription, each once; `nil` is everything.
  ///   - onEnd: Called once, when the subscription is ended or released.
  /// - Returns: The subscription; `nil` after ``finish(sending:isDrained:)``.
  func subscribe(
    to topics: [Content.Topic]? = nil,
    onEnd: @escaping @Sendable () -> Void = {}
  ) -> Listener? {
    let member = state.withLock { state -> Member? in
      guard !state.isFinished else { return nil }
      state.count += 1
      state.lastNumber += 1
      let member = Member(number: state.lastNumber)
      if topics == nil { state.general.members.append(member) }
      for topic in topics ?? [] { state.topics[topic, default: Audience()].members.append(member) }
      return member
    }
    return member.map { Listener($0.mailbox, topics, self, onEnd) }
  }

  /// Ends all subscriptions, and refuses new ones.
  ///
  /// - Parameters:
  ///   - last: The last message to all subscriptions; `nil` if there is none.
  ///   - isDrained: Whether subscribers still get the items that they have not taken yet.
  func finish(sending last: Content.Message? = nil, isDrained: Bool = false) {
    let former = state.withLock { state in
      defer { state = State(isFinished: true) }
      return state
    }
    // The members hold users' keys, so they are released outside the lock.
    for member in former.members(about: Array(former.topics.keys)) {
      if let last { member.mailbox.receive(last) }
      member.mailbox.close(isDrained: isDrained)
    }
  }

  /// A subscription, which lasts until it is ended or released.
  final class Listener: Sendable {
    private let mailbox: Mailbox<Content>
    private let topics: [Content.Topic]?
    private let broadcaster: Broadcaster
    private let onEnd: @Sendable () -> Void
    private let isEnded = Atomic(false)

    fileprivate init(
      _ mailbox: Mailbox<Content>,
      _ topics: [Content.Topic]?,
      _ broadcaster: Broadcaster,
      _ onEnd: @escaping @Sendable () -> Void
    ) {
      self.mailbox = mailbox
      self.topics = topics
      self.broadcaster = broadcaster
      self.onEnd = onEnd
    }

    deinit {
      endOnce()
    }

    private func endOnce() {
      guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
      mailbox.close()
      let unused = broadcaster.state.withLock { $0.lostOne(of: topics) }
      _ = unused
      onEnd()
    }

    /// Ends the subscription; a second call does nothing.
    func end() {
      holding(self) { endOnce() }
    }

    /// Waits for the next item; see ``Mailbox/next(whenSuspended:)``.
    func next(whenSuspended: () -> Void = {}) async -> Content.Item? {
      await mailbox.next(whenSuspended: whenSuspended)
    }
  }
}

/// The value that an observer saw last, so that the next value is omitted if it is equal.
package final class LastSeen<Value: Equatable & Sendable>: Sendable {
  private let last = Mutex<Value?>(nil)

  package init() {}

  /// Remembers a value as the last one.
  ///
  /// Values are compared and released outside the lock, because both may run user code.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it differs from the one before.
  package func changed(to value: Value) -> Bool {
    guard last.withLock({ $0 }) != value else { return false }
    // The old value is returned, so that it is released outside the lock.
    _ = last.withLock { last in
      defer { last = value }
      return last
    }
    return true
  }
}
