/// The commands that a connection has to send, and the ones that it has sent.
///
/// Replies come in the order of the commands. So a command whose caller left keeps its place until
/// its reply has come.
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
    /// Whether the connection itself asks for the server's time.
    var asksForTime = false
  }

  /// The receiver of a reply.
  enum Delivery: Equatable {
    /// A caller waits for the reply.
    case reply(to: CommandID)
    /// The caller of the command left. If the command took something, another command gives it
    /// back.
    case nobody(then: RedisCommand?)
    /// The connection itself asked for the server's time.
    case time
    /// The reply answers no command, so commands and replies no longer match.
    case unexpected
  }

  private var waiting: [Waiting] = []
  private var sent: [Sent] = []
  /// The numbers of commands in `waiting` and `sent` that are done, which are removed in bulk.
  private var waitingDone = 0
  private var sentDone = 0
  /// The commands whose callers left.
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
  /// Later commands cannot be answered before it.
  var deadline: ContinuousClock.Instant? {
    let first = hasWaiting ? waiting[waitingDone].deadline : nil
    guard awaitsReplies else { return first }
    let oldest = sent[sentDone].deadline
    return first.map { min($0, oldest) } ?? oldest
  }

  /// Gives an id to a command.
  ///
  /// - Returns: The id.
  mutating func nextID() -> CommandID {
    lastID += 1
    return CommandID(number: lastID)
  }

  /// A command came.
  ///
  /// - Parameter command: The command.
  mutating func arrived(_ command: Waiting) { waiting.append(command) }

  /// A caller left.
  ///
  /// - Parameter id: Its command, which came and has no reply yet.
  mutating func left(_ id: CommandID) {
    // The command is not searched: if a server hangs, all callers may leave one after the other.
    left.insert(id)
    skipWhoLeft()
  }

  /// Skips commands without callers, so that the first waiting command has one.
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

  /// The connection asks for the server's time, after the commands that were taken before.
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

  /// A reply came.
  ///
  /// - Parameter reply: The reply.
  /// - Returns: Its receiver.
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

  /// The connection is given up for another one, for which unsent commands wait.
  ///
  /// - Returns: The sent commands whose callers wait, in order.
  mutating func changedOver() -> [CommandID] {
    var ids: [CommandID] = []
    for command in sent[sentDone...] where left.remove(command.id) == nil && !command.asksForTime {
      ids.append(command.id)
    }
    sent = []
    sentDone = 0
    return ids
  }

  /// The connection broke, or ends.
  ///
  /// - Returns: The commands whose callers wait, in order.
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
