internal import StreamQueryShared
internal import Synchronization

/// The place where callers leave their commands, and from which the thread of the connection takes
/// them.
///
/// Continuations are resumed outside the lock.
final class RedisMailbox: Sendable {
  /// A caller that waits for a reply.
  typealias Waiter = CheckedContinuation<Result<RedisReply, SharedStoreError>, Never>

  /// The state of the commands, which the thread reads before it waits.
  struct Situation {
    var isClosed: Bool
    var hasWaiting: Bool
    var deadline: ContinuousClock.Instant?
  }

  /// The next work of the thread after some replies.
  struct Consequences {
    /// Whether a reply answered no command.
    var isOutOfStep = false
    /// Whether commands are to be sent that give back the leases of callers that have left.
    var hasWaiting = false
    /// The server's answer when it was asked for its time.
    var time: RedisReply?
  }

  fileprivate struct State {
    var queue = CommandQueue()
    var waiters: [CommandID: Waiter] = [:]
    var isClosed = false
    var isEnded = false
    var closers: [CheckedContinuation<Void, Never>] = []
    /// Whether the thread was woken, and has not read the mailbox since.
    var isWoken = false
    var found: [(search: Int, addresses: Result<[String], RedisLink.Failure>)] = []
  }

  let wakeup = Wakeup()
  private let state = Mutex(State())

  // MARK: Callers

  /// Makes an id for a new command.
  func nextID() -> CommandID { state.withLock { $0.queue.nextID() } }

  /// Hands a command to the thread.
  func submit(_ command: CommandQueue.Waiting, for waiter: Waiter) {
    let (isClosed, wakes) = state.withLock { state in
      if state.isClosed { return (true, false) }
      state.queue.arrived(command)
      state.waiters[command.id] = waiter
      return (false, state.wakes())
    }
    if isClosed { waiter.resume(returning: .failure(.unavailable("the connection is closed"))) }
    if wakes { wakeup.wake() }
  }

  /// Lets a caller leave, because it was cancelled.
  func cancel(_ id: CommandID) {
    let waiter = state.withLock { state -> Waiter? in
      // A command that was not submitted yet, or that has its reply, is not in the queue.
      guard let waiter = state.waiters.removeValue(forKey: id) else { return nil }
      state.queue.left(id)
      return waiter
    }
    waiter?.resume(returning: .failure(.cancelled))
  }

  /// Tells the thread to end.
  func close() {
    let wakes = state.withLock { state in
      state.isClosed = true
      return state.wakes()
    }
    if wakes { wakeup.wake() }
  }

  /// Waits until the thread has ended.
  func ended() async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.closers.append(continuation) }
        return state.isEnded
      }
      if isEnded { continuation.resume() }
    }
  }

  // MARK: The thread

  /// Returns the present state of the commands.
  func situation() -> Situation {
    state.withLock { state in
      state.isWoken = false
      return Situation(
        isClosed: state.isClosed,
        hasWaiting: state.queue.hasWaiting,
        deadline: state.queue.deadline
      )
    }
  }

  /// Takes the next commands to send.
  func take(upTo limit: Int) -> [CommandQueue.Waiting] {
    state.withLock { $0.queue.take(upTo: limit) }
  }

  /// Notes that the connection asks for the server's time.
  func askedForTime(until deadline: ContinuousClock.Instant) {
    state.withLock { $0.queue.askedForTime(until: deadline) }
  }

  /// Gives the replies to the callers that wait for them.
  ///
  /// - Parameters:
  ///   - replies: The replies, in order.
  ///   - deadline: The deadline of commands without callers.
  /// - Returns: The next work of the thread.
  func deliver(_ replies: [RedisReply], deadline: ContinuousClock.Instant) -> Consequences {
    let (answers, consequences) = state.withLock { state in
      var answers: [(Waiter, RedisReply)] = []
      var consequences = Consequences()
      for reply in replies {
        switch state.queue.replied(reply) {
        case .reply(let id):
          if let waiter = state.waiters.removeValue(forKey: id) { answers.append((waiter, reply)) }
        case .nobody(let command?):
          let id = state.queue.nextID()
          state.queue.arrived(
            .init(id: id, command: command, deadline: deadline, leaving: .ignored)
          )
          consequences.hasWaiting = true
        case .nobody(nil):
          break
        case .time:
          consequences.time = reply
        case .unexpected:
          consequences.isOutOfStep = true
        }
      }
      return (answers, consequences)
    }
    for (waiter, reply) in answers { waiter.resume(returning: .success(reply)) }
    return consequences
  }

  /// Fails all commands.
  ///
  /// - Parameter reason: The reason.
  func fail(_ reason: String) { fail(reason) { $0.broke() } }

  /// Fails all sent commands.
  ///
  /// - Parameter reason: The reason.
  func failSent(_ reason: String) { fail(reason) { $0.changedOver() } }

  private func fail(_ reason: String, _ change: (inout CommandQueue) -> [CommandID]) {
    let waiters = state.withLock { state in
      change(&state.queue).compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for waiter in waiters { waiter.resume(returning: .failure(.unavailable(reason))) }
  }

  /// Fails all commands and ends the waits of ``ended()``, because the thread has released the connection.
  func end() {
    fail("the connection is closed")
    let closers = state.withLock { state in
      state.isEnded = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  // MARK: Names

  /// Stores the result of a search for addresses, and wakes the thread.
  func found(_ addresses: Result<[String], RedisLink.Failure>, by search: Int) {
    let wakes = state.withLock { state in
      state.found.append((search, addresses))
      return state.wakes()
    }
    if wakes { wakeup.wake() }
  }

  /// The result of a search, if it ended.
  func addresses(of search: Int) -> Result<[String], RedisLink.Failure>? {
    state.withLock { state in
      // Results of earlier searches came too late, and are dropped.
      defer { state.found = [] }
      return state.found.last { $0.search == search }?.addresses
    }
  }
}

extension RedisMailbox.State {
  /// Whether the caller must wake the thread: it is the first caller since the thread read the mailbox.
  fileprivate mutating func wakes() -> Bool {
    defer { isWoken = true }
    return !isWoken
  }
}
