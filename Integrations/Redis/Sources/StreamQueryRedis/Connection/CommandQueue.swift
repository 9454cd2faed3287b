/// What a connection has to send, and what it has sent.
///
/// Replies come in the order of the commands. So a command whose caller left keeps its place until
/// its reply is there.
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
    /// Whether it asks for the server's time, for the connection itself.
    var asksForTime = false
  }

  /// What a reply is for.
  enum Delivery: Equatable {
    /// Somebody waits for it.
    case reply(to: CommandID)
    /// Its caller left; what it took is to be given back with this command, if it took anything.
    case nobody(then: RedisCommand?)
    /// The connection itself asked for the server's time.
    case time
    /// It answers no command: the connection is out of step.
    case unexpected
  }

  private var waiting: [Waiting] = []
  private var sent: [Sent] = []
  /// How many of `waiting` and `sent` are done; they are removed in bulk.
  private var waitingDone = 0
  private var sentDone = 0
  /// Whose callers left; the first of `waiting` is none of them.
  private var left: Set<CommandID> = []
  private var lastID: UInt64 = 0

  /// Whether there is anything to send.
  var hasWaiting: Bool { waitingDone < waiting.count }
  /// Whether there are replies to come.
  var awaitsReplies: Bool { sentDone < sent.count }
  /// Whether nothing is to be done.
  var isIdle: Bool { !hasWaiting && !awaitsReplies }

  /// When something is overdue: the oldest command of those sent, or of those that wait.
  ///
  /// Later ones cannot be answered before it.
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
    // Its place is not looked for: when a server stands still, all may leave one after the other.
    left.insert(id)
    skipWhoLeft()
  }

  /// Sees to it that the first command that waits is one of somebody who is there.
  private mutating func skipWhoLeft() {
    while hasWaiting, left.remove(waiting[waitingDone].id) != nil { waitingDone += 1 }
    if waitingDone > 64, waitingDone * 2 > waiting.count {
      waiting.removeFirst(waitingDone)
      waitingDone = 0
    }
  }

  /// Takes the commands that are to be sent next.
  ///
  /// - Parameter limit: After how many bytes no other command is added.
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

  /// The connection asks for the server's time, after what was taken before.
  ///
  /// - Parameter deadline: Until when it has to be answered.
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
  /// - Returns: What it is for.
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

  /// The connection is given up for another one: what was not sent yet waits for that.
  ///
  /// - Returns: The commands that were sent and that somebody waits for, in order.
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
  /// - Returns: The commands that somebody waits for, in order.
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
