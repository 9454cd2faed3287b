/// The commands that a connection has to send, and the ones that it has sent.
///
/// Replies come in the order of the commands. So a sent command keeps its place until its reply has
/// come, even if its caller has left.
struct CommandQueue: Equatable {
  /// A command that waits to be sent.
  struct Waiting: Equatable {
    var id: CommandID
    var command: RedisCommand
    var deadline: ContinuousClock.Instant
    var leaving: LateReply
  }

  /// A command that was sent.
  private struct Sent: Equatable {
    var id: CommandID
    var deadline: ContinuousClock.Instant
    var leaving: LateReply
    /// Whether this is the connection's own request for the server's time.
    var asksForTime = false
  }

  /// The receiver of a reply.
  enum Delivery: Equatable {
    /// A caller waits for the reply.
    case reply(to: CommandID)
    /// The caller of the command has left. If the command took a lease, another command gives the lease
    /// back.
    case nobody(then: RedisCommand?)
    /// The reply answers the connection's own request for the server's time.
    case time
    /// The reply answers no command, so commands and replies no longer match.
    case unexpected
  }

  private var waiting: [Waiting] = []
  private var sent: [Sent] = []
  /// The numbers of commands at the beginnings of `waiting` and `sent` that are done, and not removed yet.
  private var waitingDone = 0
  private var sentDone = 0
  /// The commands that have lost their callers.
  ///
  /// The first command of `waiting` always has a caller.
  private var left: Set<CommandID> = []
  private var lastID: UInt64 = 0

  /// Whether there are commands to send.
  var hasWaiting: Bool { waitingDone < waiting.count }
  /// Whether replies are still to come.
  var awaitsReplies: Bool { sentDone < sent.count }
  /// Whether there is nothing to do.
  var isIdle: Bool { !hasWaiting && !awaitsReplies }

  /// The deadline of the oldest command among those sent and waiting.
  ///
  /// Later commands cannot be answered before this one.
  var deadline: ContinuousClock.Instant? {
    let first = hasWaiting ? waiting[waitingDone].deadline : nil
    guard awaitsReplies else { return first }
    let oldest = sent[sentDone].deadline
    return first.map { min($0, oldest) } ?? oldest
  }

  /// Makes an id for a new command.
  ///
  /// - Returns: The id.
  mutating func nextID() -> CommandID {
    lastID += 1
    return CommandID(number: lastID)
  }

  /// Adds a command that must be sent.
  ///
  /// - Parameter command: The command.
  mutating func arrived(_ command: Waiting) { waiting.append(command) }

  /// Notes that a caller left.
  ///
  /// - Parameter id: The caller's command, which is in the queue and has no reply yet.
  mutating func left(_ id: CommandID) {
    // The command stays in its list: to search for it would be slow if all callers of a hanging server left
    // one after the other.
    left.insert(id)
    skipWhoLeft()
  }

  /// Skips commands without callers, so that the first waiting command has a caller.
  private mutating func skipWhoLeft() {
    while hasWaiting, left.remove(waiting[waitingDone].id) != nil { waitingDone += 1 }
    if waitingDone > 64, waitingDone * 2 > waiting.count {
      waiting.removeFirst(waitingDone)
      waitingDone = 0
    }
  }

  /// Takes the next commands to send.
  ///
  /// - Parameter limit: The number of bytes after which no other command is added.
  /// - Returns: The commands, with their deadlines.
  mutating func take(upTo limit: Int) -> [Waiting] {
    var result: [Waiting] = []
    var size = 0
    while hasWaiting, size < limit {
      let next = waiting[waitingDone]
      waitingDone += 1
      size += next.command.size
      result.append(next)
      sent.append(Sent(id: next.id, deadline: next.deadline, leaving: next.leaving))
      skipWhoLeft()
    }
    return result
  }

  /// Notes that the connection asks for the server's time, after the commands taken so far.
  ///
  /// - Parameter deadline: The deadline of the answer.
  mutating func askedForTime(until deadline: ContinuousClock.Instant) {
    sent.append(
      Sent(
        id: nextID(),
        deadline: deadline,
        leaving: .ignored,
        asksForTime: true
      )
    )
  }

  /// Decides who receives the next reply.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: The receiver.
  mutating func replied(_ reply: RedisReply) -> Delivery {
    guard awaitsReplies else { return .unexpected }
    let command = sent[sentDone]
    sentDone += 1
    if sentDone > 64, sentDone * 2 > sent.count {
      sent.removeFirst(sentDone)
      sentDone = 0
    }
    if command.asksForTime { return .time }
    if left.remove(command.id) == nil { return .reply(to: command.id) }
    return .nobody(then: command.leaving.undo(reply))
  }

  /// Forgets the sent commands, because the connection is given up; unsent ones wait for the next connection.
  ///
  /// - Returns: The sent commands with waiting callers, in order.
  mutating func changedOver() -> [CommandID] {
    var ids: [CommandID] = []
    for command in sent[sentDone...] where left.remove(command.id) == nil && !command.asksForTime {
      ids.append(command.id)
    }
    sent = []
    sentDone = 0
    return ids
  }

  /// Forgets all commands, because the connection broke or ends.
  ///
  /// - Returns: The commands with waiting callers, in order.
  mutating func broke() -> [CommandID] {
    var ids = changedOver()
    for command in waiting[waitingDone...] where !left.contains(command.id) {
      ids.append(command.id)
    }
    waiting = []
    waitingDone = 0
    left = []
    return ids
  }
}
