internal import Foundation
internal import StreamQuery
internal import StreamQueryRedis
internal import StreamQueryShared
internal import Synchronization

/// The id of this process.
func ownID() -> Int32 { ProcessInfo.processInfo.processIdentifier }

/// A machine, which fetches keys, changes some of them, and records the values that it saw.
///
/// The process prints `ready`, and begins when it has read a line.
@main struct Peer {
  private let plan: PeerPlan
  private let upstream: Upstream
  private let client: QueryClient
  private let cache: SharedCache
  private let queries: [Query<Item>]
  /// The keys that are being written.
  private let written = KeysInUse()

  static func main() async throws {
    guard let plan = PeerPlan(CommandLine.arguments.dropFirst()) else {
      print("usage: Peer NAME=VALUE...")
      return
    }
    print("ready")
    fflush(nil)
    _ = readLine()
    let lines = try await run(plan)
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: plan.file))
  }

  private static func run(_ plan: PeerPlan) async throws -> [String] {
    let upstream = Upstream(port: plan.upstream)
    let client = QueryClient(configuration: .server)
    let redis = RedisStore(RedisEndpoint(.host("127.0.0.1", port: plan.store)), namespace: "peers")
    let notes = Mutex<[String]>([])
    let note = { @Sendable (text: String, event: String) in
      notes.withLock { $0.append("told \(plan.name(in: text) ?? "-") \(now) \(event)") }
    }
    let store = WatchedStore(redis) { note($0, $1) }
    var configuration = SharedCacheConfiguration(namespace: "peers")
    configuration.lease = .milliseconds(plan.lease)
    configuration.trust = .seconds(2)
    // A machine that is busy with other tests must not look like a store that does not answer.
    configuration.timeout = .seconds(3)
    configuration.pauses = (first: .milliseconds(250), longest: .seconds(1))
    let (following, follows) = AsyncStream<Void>.makeStream()
    configuration.onEvent = { event in
      switch event {
      case .hit, .follows, .invalidated: break
      case .followsLog: follows.finish()
      default: note("\(event)", "\(event)")
      }
      if case .storeBack = event { Task { try await upstream.note("back") } }
    }
    let cache = try SharedCache(store, for: client, configuration)
    let reading = Task { await cache.run() }
    let timers = Task { await lateness() }
    if plan.waits { for await _ in following {} }
    let lines = await Peer(plan, upstream, client, cache) { line in
      notes.withLock { $0.append(line) }
    }
    .work()
    reading.cancel()
    await reading.value
    await redis.close()
    timers.cancel()
    let slowest = UInt64(store.slowestCall / .nanoseconds(1))
    let ends = ["late - \(now) \(await timers.value)", "slow - \(now) \(slowest)"]
    return lines + ends + notes.withLock { $0 }
  }

  /// Sets timers until the task is cancelled, and returns the greatest delay of a timer in nanoseconds.
  private static func lateness() async -> UInt64 {
    var latest: UInt64 = 0
    while !Task.isCancelled {
      let due = now + 20_000_000
      try? await Task.sleep(for: .milliseconds(20))
      if now > due { latest = max(latest, now - due) }
    }
    return latest
  }

  private init(
    _ plan: PeerPlan,
    _ upstream: Upstream,
    _ client: QueryClient,
    _ cache: SharedCache,
    note: @escaping @Sendable (String) -> Void
  ) {
    (self.plan, self.upstream, self.client, self.cache) = (plan, upstream, client, cache)
    queries = (0..<plan.keys).map { key in
      let name = plan.name(key)
      return Query("item", name) {
        let start = Self.now
        let item = try await upstream.fetch(name)
        note("answered \(name) \(start) \(item.version) \(Self.now)")
        return item
      }
      .staleTime(.milliseconds(plan.stale))
      .shared(through: cache, tags: ["tag \(name)"])
      .aroundFetch { _, fetch in
        let start = Self.now
        let item = try await fetch()
        note("landed \(name) \(start) \(item.version) \(Self.now)")
        return item
      }
    }
  }

  private func work() async -> [String] {
    let workers = 50
    return await withTaskGroup(of: [String].self) { group in
      for worker in 0..<workers {
        group.addTask {
          var lines: [String] = []
          for number in stride(from: worker, to: plan.requests, by: workers) {
            let key = Int.random(in: 0..<plan.keys)
            lines.append(await ask(key))
            if plan.isFollowedByChange(number), let line = await change(key) {
              lines.append(line)
            }
            if number % 100 == 0 { try? await upstream.note("progress") }
            if plan.pause > 0 { try? await Task.sleep(for: .milliseconds(plan.pause)) }
          }
          return lines
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// The time in nanoseconds, by a clock that all processes of this machine share.
  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  private func ask(_ key: Int) async -> String {
    let start = Self.now
    do {
      let item = try await client.fetch(queries[key])
      return "read \(plan.name(key)) \(start) \(item.version) \(Self.now)"
    } catch {
      return "failed \(plan.name(key)) \(start) \("\(error)".filter { $0 != "\n" })"
    }
  }

  /// Changes a key upstream, and reports the change to the other machines until a report succeeds.
  private func change(_ key: Int) async -> String? {
    let name = plan.name(key)
    guard let way = plan.way(of: key), way != .write || written.begin(key) else { return nil }
    defer { if way == .write { written.end(key) } }
    do {
      let version = try await upstream.change(name)
      // A call that fails may have taken effect or not, so it is repeated until it succeeds.
      while true {
        do {
          try await tell(way, key, version)
          return "changed \(name) \(Self.now) \(version)"
        } catch {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
    } catch {
      return "failed \(name) \(Self.now) \("\(error)".filter { $0 != "\n" })"
    }
  }

  private func tell(_ way: ChangeWay, _ key: Int, _ version: UInt64) async throws {
    switch way {
    case .query: try await cache.invalidate(queries[key])
    case .tag: try await cache.invalidate(tags: "tag \(plan.name(key))")
    case .prefix: try await cache.invalidate(prefix: AnyQueryKey("item", plan.name(key)))
    case .write: try await cache.write(Item(version: version), for: queries[key])
    }
  }
}

/// The keys that are being changed, so that only one change of each is under way.
private final class KeysInUse: Sendable {
  private let keys = Mutex<Set<Int>>([])

  func begin(_ key: Int) -> Bool { keys.withLock { $0.insert(key).inserted } }

  func end(_ key: Int) { keys.withLock { _ = $0.remove(key) } }
}
