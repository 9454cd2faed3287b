internal import Foundation
internal import StreamQueryShared

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The work of a connection's thread: it sends commands and hands out the replies.
///
/// The thread waits in one place, for the socket and for callers, and not beyond the next deadline.
final class RedisConnectionLoop {
  /// The state of the connection.
  private enum Phase {
    /// There is no connection; the next command opens one.
    case away
    /// The host's name is looked up.
    case resolving(search: Int, until: ContinuousClock.Instant)
    /// The system connects to an address.
    case connecting(Turn)
    /// The replies to the first commands of the connection are still to come; this is their number.
    case greeting(Int, Turn)
    /// Commands are sent.
    case open
  }

  /// The time to try one address; if the address fails or does not answer until `end`, `others` are tried.
  private struct Turn {
    var others: [String]
    var end: ContinuousClock.Instant
    /// The end of the time for all addresses.
    var until: ContinuousClock.Instant
  }

  private let mailbox: RedisMailbox
  private let endpoint: RedisEndpoint
  private let timeouts: RedisTimeouts
  private let greeting: [RedisCommand]
  private let replyLimit: Int
  private let searches: NameSearches
  private var phase = Phase.away
  private var link: RedisLink?
  private var isBlocked = false
  private var lastSearch = 0
  /// The number of connections so far.
  private var number = 0
  private var clock = ServerClock()

  /// Creates the state of the thread.
  init(
    _ mailbox: RedisMailbox,
    endpoint: RedisEndpoint,
    timeouts: RedisTimeouts,
    greeting: [RedisCommand],
    replyLimit: Int,
    searches: NameSearches
  ) {
    self.mailbox = mailbox
    self.endpoint = endpoint
    self.timeouts = timeouts
    self.greeting = greeting
    self.replyLimit = replyLimit
    self.searches = searches
  }

  /// Runs until the mailbox is closed.
  func run() {
    // If the server is gone, `write` must return an error, and no signal may end the process.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while step() {}
    link = nil
    mailbox.end()
  }

  private func step() -> Bool {
    mailbox.wakeup.drain()
    let situation = mailbox.situation()
    guard !situation.isClosed else { return false }
    let now = ContinuousClock.now
    do throws(RedisLink.Failure) {
      if let deadline = situation.deadline, deadline <= now {
        throw RedisLink.Failure(text: "\(endpoint) gave no answer in \(timeouts.command)")
      }
      try advance(situation, now: now)
      let deadline = [mailbox.situation().deadline, phaseDeadline].compactMap { $0 }.min()
      try wait(until: deadline)
    } catch {
      breakDown(error.text)
    }
    return true
  }

  private var phaseDeadline: ContinuousClock.Instant? {
    switch phase {
    case .away, .open: nil
    case .resolving(_, let until): until
    case .connecting(let turn), .greeting(_, let turn): turn.end
    }
  }

  /// The time to try the present address; `nil` if no other address is left to try after it.
  private var turnBeforeOthers: Turn? {
    switch phase {
    case .away, .resolving, .open: nil
    case .connecting(let turn), .greeting(_, let turn): turn.others.isEmpty ? nil : turn
    }
  }

  private func breakDown(_ reason: String) {
    disconnect()
    mailbox.fail(reason)
  }

  private func disconnect() {
    // The link is aborted before callers hear of the end, because they may then send commands on the
    // next connection.
    link?.abort()
    link = nil
    isBlocked = false
    phase = .away
  }

  // MARK: Connecting

  private func advance(
    _ situation: RedisMailbox.Situation,
    now: ContinuousClock.Instant
  ) throws(RedisLink.Failure) {
    if let deadline = phaseDeadline, deadline <= now {
      if let turn = turnBeforeOthers { return try connect(toOneOf: turn.others, until: turn.until) }
      throw RedisLink.Failure(text: "\(endpoint) was not reached in \(timeouts.connect)")
    }
    switch phase {
    case .away:
      if situation.hasWaiting { try open(until: now + timeouts.connect) }
    case .resolving(let search, let until):
      switch mailbox.addresses(of: search) {
      case .success(let addresses)?: try connect(toOneOf: addresses, until: until)
      case .failure(let failure)?: throw failure
      case nil: break
      }
    case .connecting, .greeting:
      break
    case .open:
      if situation.hasWaiting { try fill() }
    }
  }

  private func open(until: ContinuousClock.Instant) throws(RedisLink.Failure) {
    switch endpoint.address {
    case .socket(let path):
      link = try RedisLink(to: .socket(path: path), replyLimit: replyLimit)
      phase = .connecting(Turn(others: [], end: until, until: until))
    case .host(let host, _):
      lastSearch += 1
      let search = lastSearch
      phase = .resolving(search: search, until: until)
      searches.find(host, by: search, for: mailbox)
    }
  }

  private func connect(
    toOneOf addresses: [String],
    until: ContinuousClock.Instant
  ) throws(RedisLink.Failure) {
    guard case .host(_, let port) = endpoint.address else { return }
    disconnect()
    let now = ContinuousClock.now
    // All addresses together get the shorter of the two timeouts: the command that waits for the connection
    // must not time out before all were tried.
    let soon = until - timeouts.connect + min(timeouts.connect, timeouts.command)
    var failure = RedisLink.Failure(text: "no address")
    var rest = addresses[...]
    while let address = rest.popFirst() {
      do {
        link = try RedisLink(to: .address(address, port: port), replyLimit: replyLimit)
        // Each address gets an equal part of the time, so that one that never answers leaves time for the
        // others.
        let last = rest.isEmpty || soon <= now ? until : soon
        let end = now + (last - now) / (rest.count + 1)
        phase = .connecting(Turn(others: Array(rest), end: end, until: until))
        return
      } catch let error {
        failure = error
      }
    }
    throw RedisLink.Failure(text: "\(endpoint): \(failure.text)")
  }

  private func connected(_ link: RedisLink, _ turn: Turn) throws(RedisLink.Failure) {
    do {
      try link.finishConnecting()
    } catch let error {
      return try failed(error)
    }
    let commands = endpoint.introduction + greeting
    number += 1
    clock = ServerClock()
    for command in commands { try link.append(stamped(command, until: turn.until)) }
    phase = commands.isEmpty ? .open : .greeting(commands.count, turn)
    try flush(link)
    if commands.isEmpty { try fill() }
  }

  /// Tries the next address after a failure; throws if there is none, or if the connection was open
  /// already.
  private func failed(_ failure: RedisLink.Failure) throws(RedisLink.Failure) {
    guard let turn = turnBeforeOthers else {
      throw RedisLink.Failure(text: "\(endpoint): \(failure.text)")
    }
    try connect(toOneOf: turn.others, until: turn.until)
  }

  // MARK: Sending and receiving

  /// Writes as many bytes as the socket takes; if the connection breaks before it is open, another address
  /// may take its place.
  private func flush(_ link: RedisLink) throws(RedisLink.Failure) {
    do {
      isBlocked = try link.flush() == .some
    } catch let error {
      try failed(error)
    }
  }

  private func fill() throws(RedisLink.Failure) {
    guard let link else { return }
    let now = ContinuousClock.now
    if clock.asks(at: now) {
      mailbox.askedForTime(until: now + timeouts.command)
      try link.append(RedisCommand("TIME"))
    }
    // Replies have to be read even if there is much to send.
    var rounds = 16
    while !isBlocked, rounds > 0 {
      let commands = mailbox.take(upTo: 1 << 16)
      if commands.isEmpty { break }
      for next in commands { try link.append(stamped(next.command, until: next.deadline)) }
      isBlocked = try link.flush() == .some
      rounds -= 1
    }
  }

  /// Adds the arguments that only the connection knows, as the command's `stamp` says.
  private func stamped(
    _ command: RedisCommand,
    until deadline: ContinuousClock.Instant
  ) -> RedisCommand {
    var command = command
    switch command.stamp {
    case .none: break
    case .connection: command.arguments.append(Array("\(number)".utf8))
    case .deadline:
      let time = clock.microseconds(at: deadline)
      command.arguments += [Array("\(number)".utf8), Array("\(time)".utf8)]
    }
    return command
  }

  private func wait(until deadline: ContinuousClock.Instant?) throws(RedisLink.Failure) {
    var sockets = [pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)]
    if let link {
      var events = Int16(POLLIN)
      if case .connecting = phase { events = Int16(POLLOUT) }
      if isBlocked { events |= Int16(POLLOUT) }
      sockets.append(pollfd(fd: link.descriptor, events: events, revents: 0))
    }
    let descriptor = mailbox.wakeup.descriptor
    let timeout = Self.timeout(from: .now, to: deadline, wokenThrough: descriptor)
    guard poll(&sockets, nfds_t(sockets.count), timeout) > 0 else { return }
    guard sockets.count > 1, sockets[1].revents != 0, let link else { return }
    if case .connecting(let turn) = phase { return try connected(link, turn) }
    if isBlocked, sockets[1].revents & Int16(POLLOUT) != 0 {
      try flush(link)
      guard self.link === link else { return }
    }
    if sockets[1].revents & ~Int16(POLLOUT) != 0 { try receive(link) }
  }

  private func receive(_ link: RedisLink) throws(RedisLink.Failure) {
    var failure: RedisLink.Failure?
    do throws(RedisLink.Failure) { try link.read() } catch { failure = error }
    var replies: [RedisReply] = []
    do throws(RedisLink.Failure) {
      while let reply = try link.nextReply() { replies.append(reply) }
    } catch {
      failure = failure ?? error
    }
    try deliver(replies)
    if let failure { try failed(failure) }
  }

  private func deliver(_ replies: [RedisReply]) throws(RedisLink.Failure) {
    var replies = replies[...]
    if case .greeting(var left, let turn) = phase {
      while left > 0, let reply = replies.popFirst() {
        if case .error(let text) = reply {
          throw RedisLink.Failure(text: "\(endpoint) refuses: \(text.prefix(200))")
        }
        // If the first command is a script, its reply ends with the server's time.
        if let time = reply.elements?.last?.number { clock.received(time, at: .now) }
        left -= 1
      }
      phase = left == 0 ? .open : .greeting(left, turn)
      if left == 0 { try fill() }
    }
    guard !replies.isEmpty else { return }
    let isWrongServer = replies.contains { reply in
      guard case .error(let text) = reply else { return false }
      return RedisRefusal(text) == .wrongServer
    }
    let next = mailbox.deliver(Array(replies), deadline: .now + timeouts.command)
    if next.isOutOfStep { throw RedisLink.Failure(text: "\(endpoint) answers what nobody asked") }
    if let parts = next.time?.elements?.map(\.number), parts.count == 2,
      let seconds = parts[0], let microseconds = parts[1], seconds < 1 << 33
    {
      clock.received(seconds * 1_000_000 + microseconds % 1_000_000, at: .now)
    }
    // The master may be another server by now, which the next connection searches for. Only sent commands
    // fail, because later ones can wait for that connection.
    if isWrongServer {
      disconnect()
      return mailbox.failSent("\(endpoint) serves nothing more on this connection")
    }
    if next.hasWaiting { try fill() }
  }

  /// The milliseconds for which `poll` waits; -1 if the wait has no end.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - deadline: The end of the wait; `nil` if there is none.
  ///   - descriptor: The pipe that wakes the thread; -1 if the system gave none. Nothing can wake the thread
  ///     then, so it looks for commands now and then.
  /// - Returns: The milliseconds.
  static func timeout(
    from now: ContinuousClock.Instant,
    to deadline: ContinuousClock.Instant?,
    wokenThrough descriptor: Int32
  ) -> Int32 {
    let wait = deadline.map { milliseconds(from: now, to: $0) }
    guard descriptor < 0 else { return wait ?? -1 }
    return min(wait ?? 20, 20)
  }

  /// The milliseconds until a deadline, rounded up so that `poll` does not return too early.
  static func milliseconds(
    from now: ContinuousClock.Instant,
    to deadline: ContinuousClock.Instant
  ) -> Int32 {
    let (seconds, attoseconds) = (deadline - now).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let millisecond: Int64 = 1_000_000_000_000_000
    return Int32(min(seconds, 3_600) * 1_000 + (attoseconds + millisecond - 1) / millisecond)
  }
}
