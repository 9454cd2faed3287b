import StreamQueryShared
import Testing

@testable import StreamQueryRedis

/// A list of texts, as scripts answer.
private func list(_ texts: String...) -> RedisReply {
  .array(texts.map { .bytes(Array($0.utf8)) })
}

private func version(_ milliseconds: UInt64, _ sequence: UInt64 = 0) -> SharedVersion {
  SharedVersion(milliseconds: milliseconds, sequence: sequence)
}

struct RedisAnswersTests {
  let key = SharedKey("k", marks: [SharedMark("m")])

  @Test func aBeginningIsAnEntryALeaseOrAWait() {
    let history = SharedHistory("h-1")
    let entry = SharedEntry(
      value: SharedValue([120], form: "f"),
      version: version(5, 2),
      age: .microseconds(7),
      requestAge: .microseconds(9)
    )
    let lease = SharedLease(key: key, token: 9, history: history)
    let position = SharedPosition(history: history, version: version(6))
    let found = [
      list("entry", "5-2", "7", "f", "x", "9"), list("leads", "9", "h-1"),
      list("leads", "9", "h-1", "5-2", "7", "f", "x", "9"), list("follows", "h-1", "6-0", "30"),
      list("follows", "h-1", "6-0", "30", "5-2", "7", "f", "x", "9"),
    ].map { RedisAnswers.beginning($0, of: key) }
    #expect(
      found == [
        .entry(entry), .leads(lease, entry: nil), .leads(lease, entry: entry),
        .follows(position: position, remaining: .milliseconds(30), entry: nil),
        .follows(position: position, remaining: .milliseconds(30), entry: entry),
      ]
    )
  }

  @Test func whatNoScriptAnswersIsNoAnswer() {
    let replies: [RedisReply] = [
      .null, .status("OK"), .integer(1), .array([]), list("entry"),
      list("entry", "5", "7", "f", "x", "9"),
      list("entry", "5-2", "-7", "f", "x", "9"), list("leads", "x", "h"), list("leads", "1"),
      list("follows", "h", "1-1"), list("follows", "h", "1-1", "99999999999999999999"), .unknown,
    ]
    for reply in replies {
      #expect(RedisAnswers.beginning(reply, of: key) == nil)
      #expect(RedisAnswers.changes(reply, after: nil) == nil)
      #expect(RedisAnswers.version(reply) == nil)
      #expect(RedisAnswers.isDone(reply) == nil)
    }
    #expect(RedisAnswers.version(list("done", "18446744073709551616-0")) == nil)
    #expect(RedisAnswers.version(list("lost")) == .some(nil))
    #expect(RedisAnswers.version(list("done", "1-2")) == version(1, 2))
  }

  private func message(_ id: String, after previous: String, _ fields: String...) -> RedisReply {
    let all = ["p", previous] + fields
    return .array([.bytes(Array(id.utf8)), .array(all.map { .bytes(Array($0.utf8)) })])
  }

  private func log(_ messages: RedisReply...) -> RedisReply {
    let head = ["changes", "h-1", "9-0"].map { RedisReply.bytes(Array($0.utf8)) }
    return .array(head + [.array(messages)])
  }

  private func position(_ version: SharedVersion) -> SharedPosition {
    SharedPosition(history: SharedHistory("h-1"), version: version)
  }

  @Test func messagesAreReadInTheirOrder() {
    let reply = log(
      message("2-0", after: "1-0", "k", "c", "key", "a"),
      message("2-1", after: "2-0", "k", "w", "key", "b"),
      message("3-0", after: "2-1", "k", "a", "key", "c"),
      message("4-0", after: "3-0", "k", "a", "key", "d", "f", "no"),
      message("5-0", after: "4-0", "k", "i", "m", "x", "m", "y"),
      message("6-0", after: "5-0", "k", "i")
    )
    let kinds: [SharedMessage.Kind] = [
      .committed(key: "a"), .written(key: "b"), .abandoned(key: "c", failure: nil),
      .abandoned(key: "d", failure: "no"), .invalidated([SharedMark("x"), SharedMark("y")]),
      .invalidated([]),
    ]
    let versions = [version(2), version(2, 1), version(3), version(4), version(5), version(6)]
    let messages = zip(versions, kinds).map { SharedMessage($0, $1) }
    let changes = RedisAnswers.changes(reply, after: position(version(1)))
    // The log ends at 9-0.
    let wanted = SharedChanges(
      messages: messages,
      position: position(version(6)),
      hasMore: true
    )
    #expect(changes == wanted)
    // A position between two messages has missed nothing either.
    let between = RedisAnswers.changes(reply, after: position(version(1, 5)))
    #expect(between == changes)
  }

  @Test func theLastMessageOfTheLogIsAllThatThereIs() {
    let reply = log(message("9-0", after: "8-0", "k", "i"))
    #expect(RedisAnswers.changes(reply, after: position(version(8)))?.hasMore == false)
    #expect(RedisAnswers.changes(log(), after: position(version(9)))?.hasMore == false)
  }

  @Test func aMessageThatIsMissingDamagedOrForeignIsAGap() {
    let first = message("2-0", after: "1-0", "k", "c", "key", "a")
    let logs = [
      log(message("3-0", after: "2-0", "k", "c", "key", "a")),
      log(first, message("4-0", after: "3-0", "k", "c", "key", "a")),
      log(first, message("3-0", after: "1-0", "k", "c", "key", "a")),
      log(first, first),
      log(first, message("3-0", after: "2-0", "k", "z", "key", "a")),
      log(first, message("3-0", after: "2-0", "k", "c")),
      log(first, message("3-0", after: "x", "k", "c", "key", "a")),
      log(first, message("x", after: "2-0", "k", "c", "key", "a")),
      log(first, message("3-0", after: "2-0", "k", "c", "key")),
      log(first, .null),
    ]
    let gap = SharedChanges(messages: [], position: position(version(9)), isGap: true)
    for log in logs { #expect(RedisAnswers.changes(log, after: position(version(1))) == gap) }
    #expect(RedisAnswers.changes(list("gap", "h-1", "9-0"), after: position(version(1))) == gap)
  }
}
