internal import Foundation
internal import StreamQuery
internal import StreamQueryRedis
internal import StreamQueryShared
internal import Synchronization

/// The id of this process.
func ownID() -> Int32 { ProcessInfo.processInfo.processIdentifier }

/// A machine: it asks for keys, changes some, and writes down what it saw.
///
/// Arguments: the port of the store, the port of the upstream, how many requests, how many keys, how
/// many requests are between two changes or `0`, the milliseconds between two requests of a worker,
/// whether it waits until the log was read, `0` or `1`, how the keys begin, and the file of what it saw. It says `ready`, and waits for a line.
@main struct Peer {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    let numbers = arguments.prefix(7).compactMap { Int($0) }
    guard arguments.count == 9, numbers.count == 7 else {
      print("usage: Peer STORE UPSTREAM REQUESTS KEYS CHANGES PAUSE WAITS PREFIX FILE")
      return
    }
    let plan = Plan(
      requests: numbers[2],
      keys: numbers[3],
      changes: numbers[4],
      pause: .milliseconds(numbers[5]),
      waits: numbers[6] > 0,
      prefix: arguments[7]
    )
    print("ready")
    fflush(nil)
    _ = readLine()
    let lines = try await run(plan, store: numbers[0], upstream: Upstream(port: numbers[1]))
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: arguments[8]))
  }

  /// What a peer does.
  private struct Plan {
    var requests: Int
    var keys: Int
    var changes: Int
    var pause: Duration
    var waits: Bool
    var prefix: String
  }

  private static func run(
    _ plan: Plan,
    store port: Int,
    upstream: Upstream
  ) async throws
    -> [String]
  {
    let client = QueryClient(configuration: .server)
    let store = RedisStore(RedisEndpoint(.host("127.0.0.1", port: port)), namespace: "peers")
    var configuration = SharedCacheConfiguration(namespace: "peers")
    configuration.lease = .seconds(2)
    configuration.trust = .seconds(2)
    // A machine that is busy with other tests is no reason to believe that the store is away.
    configuration.timeout = .seconds(3)
    let notes = Mutex<[String]>([])
    let (following, follows) = AsyncStream<Void>.makeStream()
    configuration.onEvent = { event in
      switch event {
      case .hit, .follows, .invalidated: break
      case .followsLog: follows.finish()
      default: notes.withLock { $0.append("told - \(now) \(event)") }
      }
    }
    let cache = try SharedCache(store, for: client, configuration)
    let reading = Task { await cache.run() }
    if plan.waits { for await _ in following {} }
    let workers = 50
    let lines = await withTaskGroup(of: [String].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var lines: [String] = []
          for number in stride(from: worker, to: plan.requests, by: workers) {
            let key = "\(plan.prefix)\(Int.random(in: 0..<plan.keys))"
            let query = Query("item", key) { try await upstream.fetch(key) }
              .staleTime(.seconds(600))
              .shared(through: cache)
            lines.append(await ask(query, key, client))
            if plan.changes > 0, number % plan.changes == 1 {
              lines.append(await change(query, key, cache, upstream))
            }
            if plan.pause > .zero { try? await Task.sleep(for: plan.pause) }
          }
          return lines
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    reading.cancel()
    await reading.value
    await store.close()
    return lines + notes.withLock { $0 }
  }

  /// Nanoseconds of a clock that all processes of this machine share.
  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private static func ask(
    _ query: Query<Item>,
    _ key: String,
    _ client: QueryClient
  ) async
    -> String
  {
    let start = now
    do {
      let item = try await client.fetch(query)
      return "read \(key) \(start) \(item.version)"
    } catch {
      return "failed \(key) \(start) \("\(error)".filter { $0 != "\n" })"
    }
  }

  private static func change(
    _ query: Query<Item>,
    _ key: String,
    _ cache: SharedCache,
    _ upstream: Upstream
  ) async -> String {
    do {
      let version = try await upstream.change(key)
      // An invalidation that fails may have taken effect or not: it is repeated until it has.
      while true {
        do {
          try await cache.invalidate(query)
          return "changed \(key) \(now) \(version)"
        } catch {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
    } catch {
      return "failed \(key) \(now) \("\(error)".filter { $0 != "\n" })"
    }
  }
}
