internal import StreamQueryShared
internal import Synchronization

/// Connections for commands that block; each serves one caller at a time.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [RedisConnection] = []
    var busy: [ObjectIdentifier: RedisConnection] = [:]
    var isClosed = false
  }

  /// The maximum number of unused connections that stay open.
  private static let spare = 4

  private let connect: @Sendable () -> RedisConnection
  private let state = Mutex(State())

  /// Creates a pool, without a connection.
  ///
  /// - Parameter connect: Makes a connection.
  init(_ connect: @escaping @Sendable () -> RedisConnection) { self.connect = connect }

  /// Sends a command on a connection that no other caller uses meanwhile.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - blocking: How long the server may wait.
  /// - Returns: The reply.
  /// - Throws: An error if the server is out of reach, or if the caller was cancelled.
  func send(
    _ command: RedisCommand,
    blocking: Duration
  ) async throws(SharedStoreError) -> RedisReply {
    let connection = state.withLock { $0.idle.popLast() } ?? connect()
    let isClosed = state.withLock { state in
      if !state.isClosed { state.busy[ObjectIdentifier(connection)] = connection }
      return state.isClosed
    }
    guard !isClosed else { throw .unavailable("the store is closed") }
    do throws(SharedStoreError) {
      let reply = try await connection.send(command, blocking: blocking)
      giveBack(connection)
      return reply
    } catch {
      // The server may still work on the command of a caller that left. So no other caller gets this
      // connection: the pool forgets it, and it ends.
      _ = state.withLock { $0.busy.removeValue(forKey: ObjectIdentifier(connection)) }
      throw error
    }
  }

  private func giveBack(_ connection: RedisConnection) {
    state.withLock { state in
      state.busy[ObjectIdentifier(connection)] = nil
      if !state.isClosed, state.idle.count < Self.spare { state.idle.append(connection) }
    }
  }

  /// Ends all connections and their threads.
  func close() async {
    let connections = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle + state.busy.values
    }
    for connection in connections { await connection.close() }
  }
}
