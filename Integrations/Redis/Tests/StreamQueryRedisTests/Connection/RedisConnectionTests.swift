import Foundation
import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// A connection, against servers that fail.
  struct RedisConnectionTests {
    private func echo(_ number: Int) -> RedisCommand { RedisCommand("ECHO", "\(number)") }
    private let ping = RedisCommand("PING")
    private let brief = RedisTimeouts(connect: .milliseconds(300), command: .milliseconds(300))

    /// What a call throws.
    private func failure(
      _ connection: RedisConnection,
      _ command: RedisCommand
    ) async
      -> SharedStoreError?
    {
      do throws(SharedStoreError) {
        _ = try await connection.send(command)
        return nil
      } catch {
        return error
      }
    }

    @Test func commandsOfManyCallersAreAnsweredEachWithItsOwnReply() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint)
      let right = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<5_000 {
          group.addTask {
            try await connection.send(echo(number)) == .bytes(Array("\(number)".utf8))
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(right == 5_000)
      await connection.close()
    }

    @Test func aSocketAnAddressAndANameReachTheServer() async throws {
      let server = try TestServer()
      for endpoint in [
        RedisEndpoint(.socket(path: server.socket)),
        RedisEndpoint(.host("localhost", port: Int(server.port)), database: 2),
        server.endpoint,
      ] {
        let connection = RedisConnection(endpoint)
        #expect(try await connection.send(ping) == .status("PONG"))
        await connection.close()
      }
    }

    @Test func largeAndEmptyArgumentsArrive() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint)
      let large = [UInt8](repeating: 200, count: 20 << 20)
      _ = try await connection.send(RedisCommand([Array("SET".utf8), [], large]))
      #expect(try await connection.send(RedisCommand("GET", "")) == .bytes(large))
      await connection.close()
    }

    @Test func aReplyBeyondTheLimitIsNotRead() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint, replyLimit: 1 << 20)
      _ = try await connection.send(RedisCommand("SETRANGE", "k", "3000000", "x"))
      let error = await failure(connection, RedisCommand("GET", "k"))
      #expect(isUnavailable(error))
      #expect(try await connection.send(ping) == .status("PONG"))
      await connection.close()
    }

    @Test func aListBeyondTheLimitIsNotRead() async throws {
      let listener = try AnsweringListener()
      let timeouts = RedisTimeouts(command: .seconds(10))
      let connection = RedisConnection(
        listener.endpoint,
        timeouts: timeouts,
        replyLimit: 1 << 20
      )
      let call = Task { await failure(connection, ping) }
      let items = String(repeating: ":1\r\n", count: 1 << 14)
      // Each item is read at once, and its bytes are not kept.
      let texts = ["*1000000\r\n"] + Array(repeating: items, count: 128)
      await listener.answer(with: texts)
      let text = "\(String(describing: await call.value))"
      #expect(text.contains("more than 1048576 bytes"), "\(text)")
      await connection.close()
    }

    @Test func manyRepliesWithinTheLimitAreRead() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint, replyLimit: 1 << 17)
      _ = try await connection.send(RedisCommand("SETRANGE", "k", "99999", "x"))
      let sizes = try await withThrowingTaskGroup(of: Int?.self) { group in
        for _ in 0..<100 {
          group.addTask { try await connection.send(RedisCommand("GET", "k")).bytes?.count }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(sizes == Array(repeating: 100_000, count: 100))
      await connection.close()
    }

    @Test func thePasswordDecidesWhoIsServed() async throws {
      let server = try TestServer(options: ["--requirepass", "hush"])
      var endpoint = server.endpoint
      endpoint.password = "hush"
      let right = RedisConnection(endpoint)
      #expect(try await right.send(ping) == .status("PONG"))
      endpoint.password = "wrong"
      let wrong = RedisConnection(endpoint)
      let error = await failure(wrong, ping)
      #expect(isUnavailable(error))
      #expect("\(String(describing: error))".contains("WRONGPASS"))
      await right.close()
      await wrong.close()
    }

    @Test func aServerThatIsNotThereFailsAtOnce() async throws {
      let server = try TestServer()
      server.kill()
      let connection = RedisConnection(server.endpoint, timeouts: .init(connect: .seconds(60)))
      #expect(isUnavailable(await failure(connection, ping)))
      try server.start()
      #expect(try await connection.send(ping) == .status("PONG"))
      await connection.close()
    }

    @Test func aNameThatNobodyKnowsFails() async {
      let connection = RedisConnection(RedisEndpoint(.host("nobody.invalid", port: 1)))
      #expect(isUnavailable(await failure(connection, ping)))
      await connection.close()
    }

    #if os(Linux)
    // Elsewhere there is no second address of this machine.
    @Test func anAddressThatNeverAnswersLeavesTimeForTheOthers() async throws {
      let server = try TestServer()
      let full = try FullListener(on: server.port, host: 2)
      let searches = NameSearches { _ in .success(["127.0.0.2", "127.0.0.1"]) }
      let connection = RedisConnection(
        RedisEndpoint(.host("cache.internal", port: Int(server.port))),
        timeouts: RedisTimeouts(connect: .seconds(1), command: .seconds(30)),
        searches: searches
      )
      #expect(await failure(connection, ping) == nil)
      await connection.close()
      withExtendedLifetime(full) {}
    }

    /// The commands do not wait for as long as a connection may take.
    @Test func norDoesItTakeAllTheTimeOfTheFirstCommand() async throws {
      let server = try TestServer()
      let full = try FullListener(on: server.port, host: 2)
      let connection = connection(
        to: server,
        RedisTimeouts(connect: .seconds(60), command: .seconds(2))
      )
      #expect(await failure(connection, ping) == nil)
      await connection.close()
      withExtendedLifetime(full) {}
    }

    @Test func anAddressThatTakesConnectionsAndNeverAnswersLeavesTimeForTheOthers() async throws {
      let server = try TestServer()
      let silent = try AnsweringListener(on: server.port, host: 2)
      let connection = connection(
        to: server,
        RedisTimeouts(connect: .seconds(2), command: .seconds(30))
      )
      #expect(await failure(connection, ping) == nil)
      await connection.close()
      withExtendedLifetime(silent) {}
    }

    @Test func anAddressThatClosesItsConnectionsLeavesThemToTheOthers() async throws {
      let server = try TestServer()
      let closing = try AnsweringListener(on: server.port, host: 2)
      let connection = connection(
        to: server,
        RedisTimeouts(connect: .seconds(30), command: .seconds(30))
      )
      let call = Task { await failure(connection, ping) }
      await closing.answer(with: [], closes: true)
      #expect(await call.value == nil)
      await connection.close()
    }

    /// The greeting does not fit into the buffers of the system, so that the rest is sent after the end.
    @Test func norDoesOneKeepThemThatClosesThemDuringTheGreeting() async throws {
      let server = try TestServer()
      let closing = try AnsweringListener(on: server.port, host: 2)
      let large = [UInt8](repeating: 200, count: 32 << 20)
      let connection = connection(
        to: server,
        RedisTimeouts(connect: .seconds(30), command: .seconds(30)),
        greeting: RedisCommand([Array("SET".utf8), [], large])
      )
      let call = Task { await failure(connection, ping) }
      await closing.answer(with: [], closes: true)
      #expect(await call.value == nil)
      await connection.close()
    }

    /// A connection with a greeting to a name with two addresses, of which the second is the server's.
    private func connection(
      to server: TestServer,
      _ timeouts: RedisTimeouts,
      greeting: RedisCommand = RedisCommand("PING")
    ) -> RedisConnection {
      RedisConnection(
        RedisEndpoint(.host("cache.internal", port: Int(server.port))),
        timeouts: timeouts,
        greeting: [greeting],
        searches: NameSearches { _ in .success(["127.0.0.2", "127.0.0.1"]) }
      )
    }
    #endif

    @Test func whatWaitsFailsWhenTheServerIsKilledAndTheNextCallReconnects() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint)
      _ = try await connection.send(ping)
      let waiting = Task { await failure(connection, RedisCommand("BLPOP", "none", "0")) }
      try await blocked(1, at: server)
      server.kill()
      #expect(isUnavailable(await waiting.value))
      try server.start()
      #expect(try await connection.send(ping) == .status("PONG"))
      await connection.close()
    }

    @Test func aServerThatStandsStillTimesOutAndIsUsedWhenItGoesOn() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint, timeouts: brief)
      _ = try await connection.send(ping)
      server.pause()
      for _ in 0..<2 {
        let start = ContinuousClock.now
        #expect(isUnavailable(await failure(connection, ping)))
        #expect(ContinuousClock.now - start < .seconds(20))
      }
      server.proceed()
      #expect(try await connection.send(ping) == .status("PONG"))
      await connection.close()
    }

    @Test func aServerThatDripsItsAnswerForEverTimesOut() async throws {
      let server = try TestServer()
      let proxy = try TestProxy(to: server.port)
      let connection = RedisConnection(proxy.endpoint, timeouts: brief)
      _ = try await connection.send(RedisCommand("SETRANGE", "k", "100000", "x"))
      proxy.set(.drips(milliseconds: 20))
      let start = ContinuousClock.now
      #expect(isUnavailable(await failure(connection, RedisCommand("GET", "k"))))
      #expect(ContinuousClock.now - start < .seconds(20))
      proxy.set(.passes)
      #expect(try await connection.send(ping) == .status("PONG"))
      await connection.close()
    }

    @Test func anAnswerThatComesByteByByteInTimeIsRead() async throws {
      let server = try TestServer()
      let proxy = try TestProxy(to: server.port)
      proxy.set(.drips(milliseconds: 1))
      let connection = RedisConnection(proxy.endpoint, timeouts: .init(command: .seconds(30)))
      #expect(try await connection.send(echo(123_456)) == .bytes(Array("123456".utf8)))
      await connection.close()
    }

    @Test func anAnswerCutInTheMiddleFailsAndIsNotTakenForAnother() async throws {
      let server = try TestServer()
      let proxy = try TestProxy(to: server.port)
      let connection = RedisConnection(proxy.endpoint)
      _ = try await connection.send(ping)
      for bytes in 0..<12 {
        proxy.set(.cutsAnswers(after: bytes))
        #expect(isUnavailable(await failure(connection, echo(1_000_000))), "\(bytes)")
        proxy.set(.passes)
        #expect(try await connection.send(echo(bytes)) == .bytes(Array("\(bytes)".utf8)))
      }
      await connection.close()
    }

    @Test func aCancelledCallerLeavesAtOnceAndTheOthersGetTheirReplies() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint, timeouts: .init(command: .seconds(60)))
      _ = try await connection.send(ping)
      let stuck = Task { await failure(connection, RedisCommand("BLPOP", "list", "0")) }
      let next = Task { try await connection.send(echo(5)) }
      let unsent = Task { await failure(connection, echo(6)) }
      try await blocked(1, at: server)
      stuck.cancel()
      unsent.cancel()
      #expect(await stuck.value == .cancelled)
      #expect(await unsent.value == .cancelled)
      let other = RedisConnection(server.endpoint)
      _ = try await other.send(RedisCommand("RPUSH", "list", "x"))
      #expect(try await next.value == .bytes(Array("5".utf8)))
      await other.close()
      await connection.close()
    }

    @Test func whoIsCancelledBeforeTheCallSendsNothing() async throws {
      let server = try TestServer()
      let connection = RedisConnection(server.endpoint)
      // More than one, since the thread of the connection is quick only now and then.
      for number in 0..<500 {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return await failure(connection, RedisCommand("SET", "k\(number)", "v"))
        }
        #expect(await task.value == .cancelled)
      }
      #expect(try await connection.send(RedisCommand("DBSIZE")) == .integer(0))
      await connection.close()
    }

    @Test func closingFailsWhatWaitsAndEndsTheThread() async throws {
      let server = try TestServer()
      let before = threads()
      let connection = RedisConnection(server.endpoint, timeouts: .init(command: .seconds(60)))
      _ = try await connection.send(ping)
      let waiting = Task { await failure(connection, RedisCommand("BLPOP", "none", "0")) }
      try await blocked(1, at: server)
      await connection.close()
      #expect(isUnavailable(await waiting.value))
      #expect(isUnavailable(await failure(connection, ping)))
      await connection.close()
      // The thread's last act is to say that it has ended.
      #expect(threads() <= before + 1)
      try await blocked(0, at: server)
    }

    @Test func aRefusedGreetingFailsTheCall() async throws {
      let server = try TestServer()
      let connection = RedisConnection(
        server.endpoint,
        greeting: [RedisCommand("PING"), RedisCommand("NONSENSE")]
      )
      #expect(isUnavailable(await failure(connection, ping)))
      await connection.close()
    }

    /// How many threads of connections this process has, where the system tells.
    private func threads() -> Int {
      let folder = "/proc/self/task"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.count { name in
        (try? String(contentsOfFile: "\(folder)/\(name)/comm", encoding: .utf8)) == "redis\n"
      }
    }
  }
}
