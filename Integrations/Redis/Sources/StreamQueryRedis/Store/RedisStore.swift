public import StreamQueryShared
internal import Synchronization

/// A store on a Redis server, from version 6.2 on.
///
/// ```swift
/// let store = RedisStore(try RedisEndpoint(url: "redis://localhost"), namespace: "shop")
/// ```
///
/// Every call is a script, which the server runs as one step. All machines with the same server and namespace
/// share entries, apart from those of other namespaces. The first call connects. After any fault of the
/// server or the network, a call ends within its timeouts and the next one connects again.
///
/// The server may forget any entries at any time, restart, and be replaced by a replica: another history
/// begins then, and the entries of the former one are missing.
public final class RedisStore: SharedStore {
  private let configuration: RedisStoreConfiguration
  let keys: RedisKeys
  /// The name of this object, which no other store object has.
  private let name: String
  private let attempts = Mutex(Attempts())
  private let connection: RedisConnection
  /// The connections of callers that wait for the log: a waiting caller blocks its connection, so each
  /// needs its own.
  private let readers: ConnectionPool
  /// The end of the log when it was last read.
  ///
  /// A caller that has read up to this position waits at once, without a script that reads the log first.
  private let end = Mutex<SharedPosition?>(nil)

  /// The number of calls of `begin` so far, and the calls whose answers were lost.
  private struct Attempts {
    var count = 0
    var lost = LostAttempts()
  }

  /// The longest time for which the server waits for a message of the log.
  ///
  /// After this time, the store checks whether the server has lost its memory, because such a loss wakes
  /// no waiting caller.
  private static let longestWait = Duration.seconds(2)
  /// The pause between two looks into the log of a server that refuses to wait.
  private static let pause = Duration.milliseconds(100)
  /// The maximum number of messages that one call reads.
  private static let page = 256

  /// Creates a store; it connects with the first call.
  ///
  /// - Parameters:
  ///   - endpoint: The server.
  ///   - namespace: Any text that the sharing machines have in common: the name of the application,
  ///     and of the tenant if there are several.
  ///   - configuration: The configuration.
  public init(
    _ endpoint: RedisEndpoint,
    namespace: String,
    configuration: RedisStoreConfiguration = RedisStoreConfiguration()
  ) {
    let keys = RedisKeys(namespace)
    self.configuration = configuration
    self.keys = keys
    // The number does not come from a client's generator, because only the server sees it, and it
    // decides nothing.
    name = String(UInt64.random(in: .min ... .max), radix: 36)
    let connect: @Sendable ([RedisCommand]) -> RedisConnection = { greeting in
      RedisConnection(
        endpoint,
        timeouts: configuration.timeouts,
        greeting: greeting,
        replyLimit: max(64 << 20, 2 * configuration.limits.value)
      )
    }
    // The server refuses commands of earlier connections for this time. After it, their own deadlines have
    // passed.
    let timeouts = configuration.timeouts.bounded
    let time = (timeouts.command + timeouts.connect) * 2
    let number = time.milliseconds(upTo: .longestLease)
    var first = RedisScript.arrive.byText(
      keys.common + [keys.connection(of: name)],
      [configuration.restarts.digits, number]
    )
    first.stamp = .connection
    connection = connect([first])
    let greeting = RedisScript.arrive.byText(keys.common, [configuration.restarts.digits])
    readers = ConnectionPool { connect([greeting]) }
  }

  /// Ends the connections and their threads.
  ///
  /// Waiting calls, and all later ones, fail with `SharedStoreError.unavailable`.
  public func close() async {
    await readers.close()
    await connection.close()
  }
}

// MARK: Calls

extension RedisStore {
  /// Reads the entry of a key, or takes the lease to fetch it.
  ///
  /// If the caller is cancelled during the call, the store gives the lease back. If the answer is lost, the
  /// next call for the key takes over the lease that this call may have taken.
  ///
  /// - Parameters:
  ///   - key: The key and its marks.
  ///   - maxAge: The maximum age of the entry.
  ///   - lease: How long the lease lasts, an hour at most.
  /// - Returns: The entry, or the machine that fetches it.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    try configuration.limits.check(key)
    let marks = key.marks.map { Array($0.text.utf8) }
    let names = keys.all(for: key)
    let (attempt, lost) = attempts.withLock { attempts in
      attempts.count += 1
      return ("\(name)-\(attempts.count)", attempts.lost.of(key.text))
    }
    let arguments = [
      configuration.restarts.digits, Array("\(configuration.limits.value)".utf8),
      (maxAge ?? .milliseconds(-1)).ageDigits,
      lease.milliseconds(upTo: .longestLease), Array(attempt.utf8), Array("\(lost.count)".utf8),
    ]
    // If a caller left before its lease came, the lease is given back. Otherwise the other callers
    // would wait for the lease to end.
    let leaving = LateReply.givenBack(
      if: "leads",
      by: RedisScript.abandon.byText(changing(names), [length, Array(key.text.utf8), [], [], []])
    )
    do throws(SharedStoreError) {
      let sent = arguments + lost.map { Array($0.utf8) } + marks
      let reply = try await run(.begin, changing(names), sent, leaving: leaving)
      let answer = try read(reply) { RedisAnswers.beginning($0, of: key) }
      attempts.withLock { $0.lost.settled(lost, of: key.text) }
      return answer
    } catch {
      attempts.withLock { $0.lost.lost(attempt, of: key.text) }
      throw error
    }
  }

  /// Extends a lease from now on.
  ///
  /// - Parameters:
  ///   - lease: The lease.
  ///   - duration: How long the lease lasts, an hour at most.
  /// - Returns: Whether the lease was still valid.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func renew(
    _ lease: SharedLease,
    for duration: Duration
  ) async throws(SharedStoreError) -> Bool {
    try configuration.limits.check(lease.key)
    let arguments = lease.redis + [duration.milliseconds(upTo: .longestLease)]
    return try read(
      await run(.renew, changing(keys.all(for: lease.key)), arguments),
      RedisAnswers.isDone
    )
  }

  /// Makes a value the entry of the lease's key, and ends the lease.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - lease: The lease.
  ///   - lifetime: How long the entry is kept, seven days at most.
  /// - Returns: The version of the entry, if the lease was still valid.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    try configuration.limits.check(lease.key)
    try configuration.limits.check(value)
    let entry = [
      length, Array(lease.key.text.utf8), lifetime.milliseconds(upTo: .longestLifetime),
      Array(value.form.utf8), value.bytes,
    ]
    let names = changing(keys.all(for: lease.key))
    let reply = try await run(.commit, names, lease.redis + entry)
    return try read(reply, RedisAnswers.version)
  }

  /// Ends a lease without a value.
  ///
  /// - Parameters:
  ///   - lease: The lease.
  ///   - failure: The text for the callers that wait; the first 4,096 bytes of the text are sent.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func abandon(
    _ lease: SharedLease,
    failure: String?
  ) async throws(SharedStoreError) {
    try configuration.limits.check(lease.key)
    let failures = failure.map { [Array("1".utf8), RedisLimits.cut($0)] } ?? [[], []]
    let arguments = [length, Array(lease.key.text.utf8)] + failures + lease.redis
    let reply = try await run(.abandon, changing(keys.all(for: lease.key)), arguments)
    _ = try read(reply, RedisAnswers.isDone)
  }

  /// Makes a value the entry of a key, also if another machine has the lease.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key and its marks.
  ///   - lifetime: How long the entry is kept, seven days at most.
  /// - Returns: The version of the entry.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try configuration.limits.check(key)
    try configuration.limits.check(value)
    let entry = [
      length, Array(key.text.utf8), lifetime.milliseconds(upTo: .longestLifetime),
      Array(value.form.utf8), value.bytes,
    ]
    let marks = key.marks.map { Array($0.text.utf8) }
    let reply = try await run(.write, changing(keys.all(for: key)), entry + marks)
    return try read(reply) { RedisAnswers.version($0) ?? nil }
  }

  /// Invalidates all entries with one of some marks (keys, prefixes, tags), and ends their leases.
  ///
  /// - Parameter marks: The marks.
  /// - Returns: The version of the invalidation.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func invalidate(
    _ marks: [SharedMark]
  ) async throws(SharedStoreError) -> SharedVersion {
    try configuration.limits.check(marks)
    let arguments = [length] + marks.map { Array($0.text.utf8) }
    let reply = try await run(.invalidate, changing(keys.common), arguments)
    return try read(reply) { RedisAnswers.version($0) ?? nil }
  }

  /// Reads the messages of the log after a position, and waits for messages if there are none.
  ///
  /// One call returns 256 messages at most. A waiting caller uses a connection of its own. A caller at the
  /// end of the log sends two commands for the next messages: one that waits, and a script that reads.
  ///
  /// - Parameters:
  ///   - position: The position of the last message that the caller knows; `nil` is the end.
  ///   - wait: The longest wait.
  /// - Returns: The messages and the next position.
  /// - Throws: An error if the server is out of reach, or refuses the call.
  public func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    let end = ContinuousClock.now + min(wait, .longestTimeout)
    var hasRead = position != nil && self.end.withLock { $0 == position }
    while true {
      if hasRead, let position, end > .now {
        try await news(after: position.version, timeout: min(end - .now, Self.longestWait))
      }
      let changes = try await changes(after: position)
      guard position != nil, changes.messages.isEmpty, !changes.isGap, end > .now else {
        return changes
      }
      hasRead = true
    }
  }

  /// Reads the log without waiting.
  private func changes(
    after position: SharedPosition?
  ) async throws(SharedStoreError) -> SharedChanges {
    let arguments = [
      configuration.restarts.digits, Array((position?.history.name ?? "").utf8),
      Array((position?.version.redis ?? "").utf8), Array("\(Self.page)".utf8),
    ]
    let reply = try await run(.changes, keys.common, arguments)
    let changes = try read(reply) { RedisAnswers.changes($0, after: position) }
    self.end.withLock { $0 = changes.hasMore ? nil : changes.position }
    return changes
  }

  /// Waits until the log has a message after a version.
  ///
  /// If the server refuses to wait, sleeps for a short pause.
  private func news(
    after version: SharedVersion,
    timeout wait: Duration
  ) async throws(SharedStoreError) {
    let block = wait.milliseconds(upTo: Self.longestWait)
    let words = ["XREAD", "COUNT", "1", "BLOCK"].map { Array($0.utf8) }
    let stream = [block, Array("STREAMS".utf8), keys.log, Array(version.redis.utf8)]
    let reply = try await readers.send(RedisCommand(words + stream), blocking: wait)
    // The answer of this command does not count, because the script that reads the log checks everything.
    guard case .error(let text) = reply else { return }
    guard RedisRefusal(text) == .other else { throw .unavailable(text) }
    do { try await ContinuousClock().sleep(for: min(wait, Self.pause)) } catch { throw .cancelled }
  }

  private var length: [UInt8] { Array("\(max(1, configuration.logLength))".utf8) }

  /// The keys of a script that changes something: the script's own, and the key of the newest connection.
  private func changing(_ names: [[UInt8]]) -> [[UInt8]] { names + [keys.connection(of: name)] }

  /// Makes all earlier entries and leases invalid.
  func beginAnew() async throws(SharedStoreError) {
    _ = try read(await run(.erase, changing(keys.common), []), RedisAnswers.isDone)
  }

  /// Sends a command that is no script.
  func ask<Answer>(
    _ command: RedisCommand,
    _ answer: (RedisReply) -> Answer?
  ) async throws(SharedStoreError) -> Answer {
    try read(try await connection.send(command), answer)
  }

  private func run(
    _ script: RedisScript,
    _ keys: [[UInt8]],
    _ arguments: [[UInt8]],
    leaving: LateReply = .ignored
  ) async throws(SharedStoreError) -> RedisReply {
    let command = script.byName(keys, arguments)
    let reply = try await connection.send(command, leaving: leaving)
    guard case .error(let text) = reply, RedisRefusal(text) == .unknownScript else { return reply }
    return try await connection.send(script.byText(keys, arguments), leaving: leaving)
  }

  private func read<Answer>(
    _ reply: RedisReply,
    _ answer: (RedisReply) -> Answer?
  ) throws(SharedStoreError) -> Answer {
    if case .error(let text) = reply {
      switch RedisRefusal(text) {
      case .unavailable, .wrongServer, .unknownScript: throw .unavailable(text)
      case .other: throw .unreadable(text)
      }
    }
    guard let answer = answer(reply) else {
      throw .unreadable("the server's answer is none of this package's scripts")
    }
    return answer
  }
}

extension SharedLease {
  /// The lease, as scripts get it: the name of its history, and its token.
  fileprivate var redis: [[UInt8]] { [Array(history.name.utf8), Array("\(token)".utf8)] }
}

extension RedisStoreConfiguration.Restarts {
  /// This choice, as scripts get it: `1` to begin anew, `0` to go on.
  fileprivate var digits: [UInt8] {
    switch self {
    case .beginAnew: Array("1".utf8)
    case .goOn: Array("0".utf8)
    }
  }
}
