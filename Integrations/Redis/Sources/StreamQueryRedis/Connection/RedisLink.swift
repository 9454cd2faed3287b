internal import CHiredis

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// An open connection of hiredis.
///
/// The connection never blocks, and belongs to one thread.
final class RedisLink {
  /// The reason why a connection broke.
  struct Failure: Error, Equatable {
    var text: String
  }

  /// Whether bytes are left to be sent after a `flush`.
  enum TailState: Equatable {
    /// All bytes were written.
    case nothing
    /// The socket takes no more bytes now.
    case some
  }

  private let context: UnsafeMutablePointer<redisContext>
  private let replyLimit: Int
  /// The number of bytes of the incomplete reply.
  ///
  /// The bytes are counted here, because hiredis does not keep the elements of a list in its buffer.
  private var unanswered = 0

  /// Begins to connect.
  ///
  /// - Parameters:
  ///   - target: A numeric address or a path.
  ///   - replyLimit: The maximum number of bytes of an incomplete reply.
  /// - Throws: The reason why the attempt to connect cannot begin.
  init(to target: Target, replyLimit: Int) throws(Failure) {
    let context =
      switch target {
      case .address(let host, let port): redisConnectNonBlock(host, Int32(port))
      case .socket(let path): redisConnectUnixNonBlock(path)
      }
    guard let context else { throw Failure(text: "no memory for a connection") }
    self.context = context
    self.replyLimit = replyLimit
    try check()
  }

  /// The target of a link.
  enum Target: Equatable, Sendable {
    /// A numeric address.
    case address(String, port: Int)
    /// The path of a socket.
    case socket(path: String)
  }

  deinit { redisFree(context) }

  /// The socket.
  var descriptor: Int32 { Int32(context.pointee.fd) }

  private func check() throws(Failure) {
    guard context.pointee.err != 0 else { return }
    let text = withUnsafeBytes(of: context.pointee.errstr) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    throw Failure(text: text)
  }

  /// Completes the attempt to connect, when the socket can be written.
  ///
  /// - Throws: The reason why no server was reached.
  func finishConnecting() throws(Failure) {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else {
      throw Failure(text: String(cString: strerror(errno)))
    }
    guard error == 0 else { throw Failure(text: String(cString: strerror(error))) }
    // A small command must not wait for the acknowledgement of the one before it.
    var on: Int32 = 1
    let length = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, length)
    #if canImport(Darwin)
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, length)
    #endif
  }

  /// Adds a command to the bytes that are sent next.
  ///
  /// - Parameter command: The command.
  /// - Throws: An error if there is no memory.
  func append(_ command: RedisCommand) throws(Failure) {
    // All arguments are in one buffer, so that their addresses are valid together.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(command.size)
    for argument in command.arguments { bytes.append(contentsOf: argument) }
    let lengths = command.arguments.map { $0.count }
    bytes.withUnsafeBytes { all in
      let start = all.bindMemory(to: CChar.self).baseAddress
      var starts: [UnsafePointer<CChar>?] = []
      starts.reserveCapacity(lengths.count)
      // The address of an empty buffer may be nil, and hiredis would search such an argument for its length.
      let empty = UnsafePointer<CChar>(bitPattern: 1)
      var offset = 0
      for length in lengths {
        starts.append(start.map { $0 + offset } ?? empty)
        offset += length
      }
      _ = redisAppendCommandArgv(context, Int32(lengths.count), &starts, lengths)
    }
    try check()
  }

  /// Writes as many bytes as the socket takes.
  ///
  /// - Returns: Whether any bytes are left.
  /// - Throws: The reason why the connection broke.
  func flush() throws(Failure) -> TailState {
    var done: Int32 = 0
    _ = redisBufferWrite(context, &done)
    try check()
    return done == 0 ? .some : .nothing
  }

  /// Reads the bytes that the socket has.
  ///
  /// - Throws: The reason why the connection broke.
  func read() throws(Failure) {
    let former = context.pointee.reader.pointee.len
    _ = redisBufferRead(context)
    try check()
    unanswered += max(0, Int(context.pointee.reader.pointee.len) - Int(former))
  }

  /// Makes the system drop unsent bytes when the connection ends.
  func abort() {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
  }

  /// Takes the next complete reply.
  ///
  /// - Returns: The reply, if one is complete.
  /// - Throws: An error if the bytes are not a reply, or too long.
  func nextReply() throws(Failure) -> RedisReply? {
    var pointer: UnsafeMutableRawPointer?
    _ = redisGetReplyFromReader(context, &pointer)
    defer { if let pointer { freeReplyObject(pointer) } }
    try check()
    guard let pointer else {
      guard unanswered <= replyLimit else {
        throw Failure(text: "a reply of more than \(replyLimit) bytes")
      }
      return nil
    }
    let reader = context.pointee.reader.pointee
    unanswered = Int(reader.len) - Int(reader.pos)
    return RedisReply(UnsafePointer(pointer.assumingMemoryBound(to: redisReply.self)))
  }
}
