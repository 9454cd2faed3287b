internal import Foundation
package import StreamQueryShared

/// A connection to a server, with a thread of its own.
///
/// Commands that wait are sent together, and answered in order. It connects with the first command,
/// and again with the first one after it broke. What waits when it breaks fails with
/// `SharedStoreError.unavailable`, since nobody knows what the server did.
package final class RedisConnection: Sendable {
  private let mailbox = RedisMailbox()
  private let timeouts: RedisTimeouts

  /// Starts the thread, which connects with the first command.
  ///
  /// - Parameters:
  ///   - endpoint: Where the server is.
  ///   - timeouts: How long it waits.
  ///   - greeting: What each connection says first, after its name and its database. It is used only
  ///     if the server refuses none of it.
  ///   - replyLimit: How many bytes of a reply that is not complete are read at most.
  package init(
    _ endpoint: RedisEndpoint,
    timeouts: RedisTimeouts = RedisTimeouts(),
    greeting: [RedisCommand] = [],
    replyLimit: Int = 64 << 20
  ) {
    self.timeouts = timeouts
    let thread = Thread { [mailbox] in
      RedisPump(
        mailbox,
        endpoint: endpoint,
        timeouts: timeouts,
        greeting: greeting,
        replyLimit: replyLimit
      ).run()
    }
    thread.name = "redis"
    thread.start()
  }

  deinit { mailbox.close() }

  /// Sends a command, and waits for its reply.
  ///
  /// A caller that is cancelled leaves at once; whether the command takes effect is unknown then,
  /// unless the caller was cancelled before the call: then nothing is sent.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - blocking: How long the server itself may wait.
  /// - Returns: The reply, which may be a refusal.
  /// - Throws: That the server is out of reach, or that the caller was cancelled.
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
        // The thread takes a command as soon as it is there.
        guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
        mailbox.submit(waiting, for: waiter)
        // The handler may have run before there was anything to cancel.
        if Task.isCancelled { mailbox.cancel(waiting.id) }
      }
    } onCancel: {
      mailbox.cancel(waiting.id)
    }
    return try result.get()
  }

  /// Ends the connection and its thread; what waits fails.
  package func close() async {
    mailbox.close()
    await mailbox.ended()
  }
}
