#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// The connections of a proxy, which belong to its thread.
struct ProxyTraffic {
  /// One direction of a connection.
  private struct Direction {
    var from: Int32
    var to: Int32
    var isAnswer: Bool
    /// What waits to be passed on, and since when it may be.
    var chunks: [(bytes: ArraySlice<UInt8>, due: ContinuousClock.Instant)] = []
    var ended = false
  }

  /// How many connections came.
  private(set) var accepted = 0
  private let listener: Int32
  private let wake: Int32
  private let target: UInt16
  private var directions: [Direction] = []
  private var answered = 0
  private var lastMode = TestProxy.Mode.passes

  /// Creates the state of a proxy.
  init(listener: Int32, wake: Int32, target: UInt16) {
    self.listener = listener
    self.wake = wake
    self.target = target
  }

  /// Closes everything.
  mutating func end() {
    cut()
    close(listener)
  }

  private mutating func cut() {
    for direction in directions where direction.isAnswer {
      close(direction.from)
      close(direction.to)
    }
    directions = []
  }

  private mutating func cut(_ direction: Direction) {
    close(direction.from)
    close(direction.to)
    directions.removeAll { $0.from == direction.from || $0.to == direction.from }
  }

  /// Waits for something to do, and does it.
  ///
  /// - Parameter mode: What happens to the bytes.
  mutating func round(_ mode: TestProxy.Mode) {
    if mode != lastMode { answered = 0 }
    lastMode = mode
    if mode == .cuts { cut() }
    var sockets = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    sockets.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
    if mode != .swallows {
      for direction in directions where !direction.ended {
        sockets.append(pollfd(fd: direction.from, events: Int16(POLLIN), revents: 0))
      }
    }
    guard poll(&sockets, nfds_t(sockets.count), timeout(mode)) >= 0 else { return }
    if sockets[0].revents != 0 {
      // What came since then is treated in the new mode.
      drain()
      return
    }
    if sockets[1].revents != 0 { accept(mode) }
    for socket in sockets.dropFirst(2) where socket.revents != 0 { receive(socket.fd, mode) }
    if mode != .swallows { pass(mode) }
  }

  private func timeout(_ mode: TestProxy.Mode) -> Int32 {
    guard mode != .swallows else { return -1 }
    let due = directions.compactMap { $0.chunks.first?.due }.min()
    guard let due else { return -1 }
    let components = (due - .now).components
    let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    return Int32(max(0, milliseconds + 1))
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wake, &bytes, bytes.count) > 0 {}
  }

  private mutating func accept(_ mode: TestProxy.Mode) {
    let client = Loopback.accept(on: listener)
    guard client >= 0 else { return }
    accepted += 1
    let server = mode == .cuts ? -1 : Loopback.connect(to: target)
    guard server >= 0 else {
      close(client)
      return
    }
    directions.append(Direction(from: client, to: server, isAnswer: false))
    directions.append(Direction(from: server, to: client, isAnswer: true))
  }

  private mutating func receive(_ socket: Int32, _ mode: TestProxy.Mode) {
    guard let index = directions.firstIndex(where: { $0.from == socket }) else { return }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(socket, &bytes, bytes.count)
    guard count > 0 else {
      directions[index].ended = true
      if directions[index].chunks.isEmpty { cut(directions[index]) }
      return
    }
    var due = ContinuousClock.now
    if case .delays(let milliseconds) = mode { due += .milliseconds(milliseconds) }
    if case .drips(let pause) = mode {
      // Each byte is a chunk of its own.
      if let last = directions[index].chunks.last?.due { due = max(due, last) }
      for position in 0..<count {
        due += .milliseconds(pause)
        directions[index].chunks.append((bytes[position...position], due))
      }
    } else {
      directions[index].chunks.append((bytes[..<count], due))
    }
  }

  private mutating func pass(_ mode: TestProxy.Mode) {
    let now = ContinuousClock.now
    for socket in directions.map(\.from) {
      while let index = directions.firstIndex(where: { $0.from == socket }),
        let chunk = directions[index].chunks.first, chunk.due <= now
      {
        directions[index].chunks.removeFirst()
        guard send(chunk.bytes, on: directions[index], mode) else {
          cut(directions[index])
          break
        }
        if directions[index].chunks.isEmpty, directions[index].ended { cut(directions[index]) }
      }
    }
  }

  private mutating func send(
    _ bytes: ArraySlice<UInt8>,
    on direction: Direction,
    _ mode: TestProxy.Mode
  ) -> Bool {
    var bytes = bytes
    var cuts = false
    if case .cutsAnswers(let limit) = mode, direction.isAnswer {
      cuts = answered + bytes.count > limit
      bytes = bytes.prefix(max(0, limit - answered))
      answered += bytes.count
    }
    return Loopback.send(bytes, on: direction.to) && !cuts
  }
}
