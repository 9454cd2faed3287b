internal import Foundation
package import StreamQueryShared

/// A connection to a server, with a thread of its own.
///
/// Waiting commands are sent together, and answered in order. The first command opens the connection.
/// After a break, the next command opens it again. Commands that wait when the connection breaks fail with
/// `SharedStoreError.unavailable`, because their effect on the server is not known.
package final class RedisConnection: Sendable {
  private let mailbox = RedisMailbox()
  private let timeouts: RedisTimeouts

  /// Starts the thread, which connects with the first command.
  ///
  /// - Parameters:
  ///   - endpoint: The server.
  ///   - timeouts: The timeouts.
  ///   - greeting: The first commands of each connection, after the login and the choice of the database. The
  ///     connection is used only if the server refuses none of them.
  ///   - replyLimit: The maximum number of bytes of an incomplete reply.
  package convenience init(
    _ endpoint: RedisEndpoint,
    timeouts: RedisTimeouts = RedisTimeouts(),
    greeting: [RedisCommand] = [],
    replyLimit: Int = 64 << 20
  ) {
    self.init(
      endpoint,
      timeouts: timeouts,
      greeting: greeting,
      replyLimit: replyLimit,
      searches: .shared
    )
  }

  /// Starts the thread, with the searches that find the addresses of names.
  init(
    _ endpoint: RedisEndpoint,
    timeouts: RedisTimeouts,
    greeting: [RedisCommand] = [],
    replyLimit: Int = 64 << 20,
    searches: NameSearches
  ) {
    let timeouts = timeouts.bounded
    self.timeouts = timeouts
    let thread = Thread { [mailbox] in
      RedisConnectionLoop(
        mailbox,
        endpoint: endpoint,
        timeouts: timeouts,
        greeting: greeting,
        replyLimit: replyLimit,
        searches: searches
      ).run()
    }
    thread.name = "redis"
    thread.start()
  }

  deinit { mailbox.close() }

  /// Sends a command, and waits for its reply.
  ///
  /// A cancelled caller leaves at once; whether the command takes effect is then unknown. If the
  /// caller was cancelled before the call, the command is not sent.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - blocking: How long the server itself may wait.
  /// - Returns: The reply, which may be a refusal.
  /// - Throws: An error if the server is out of reach, or if the caller was cancelled.
  package func send(
    _ command: RedisCommand,
    blocking: Duration = .zero
  ) async throws(SharedStoreError) -> RedisReply {
    try await send(command, blocking: blocking, leaving: .ignored)
  }

  /// Sends a command, and waits for its reply.
  func send(
    _ command: RedisCommand,
    blocking: Duration = .zero,
    leaving: LateReply
  ) async throws(SharedStoreError) -> RedisReply {
    let waiting = CommandQueue.Waiting(
      id: mailbox.nextID(),
      command: command,
      deadline: .now + timeouts.command + blocking,
      leaving: leaving
    )
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: RedisMailbox.Waiter) in
        // The thread may send a submitted command at once, so a cancelled caller submits none.
        guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
        mailbox.submit(waiting, for: waiter)
        // The cancellation handler may have run before the command was submitted.
        if Task.isCancelled { mailbox.cancel(waiting.id) }
      }
    } onCancel: {
      mailbox.cancel(waiting.id)
    }
    return try result.get()
  }

  /// Ends the connection and its thread; waiting commands fail.
  package func close() async {
    mailbox.close()
    await mailbox.ended()
  }
}
