import CMeasure
import Foundation
import StreamQuery
import Synchronization

/// Compares a cache as a server uses it with caches that a server developer would write instead.
///
/// Hits run on threads of their own, which do nothing else, and no hit suspends. An actor is called from as
/// many tasks, in the runtime's pool, which has one thread for each processor.
struct ServerCases {
  struct Row: Codable, Sendable {
    var group: String
    var name: String
    var threads: Int?
    /// The number of calls in a second, of all threads together.
    var perSecond: Double
    /// Percentiles of a single call, in nanoseconds, including the time to read the clock.
    var p50: Double
    var p99: Double
    /// The number of allocations of a single call.
    var allocations: Double
  }

  /// A cache, and how to ask it.
  struct Subject: Sendable {
    var name: String
    /// Whether a call may suspend.
    var hops = false
    /// How many locks the calls share.
    var locks = 1
    /// How many locks the calls would share with 64 processors.
    var locksOfMany = 1
    var call: @Sendable (_ index: Int) async -> Void
  }

  static let keyCount = 10_000
  /// The subject that shares nothing but memory.
  static let control = "no lock: a dictionary that never changes"
  var threads = [1, 2, 4, 8]
  var rounds = 20
  var iterations = 5_000

  // MARK: Subjects

  private static func query(_ id: Int) -> Query<Int> {
    Query("user", id) { id }.staleTime(.seconds(86_400))
  }

  /// Makes caches that have fresh data for all keys.
  static func hitSubjects(_ wanted: [String] = []) async -> [Subject] {
    let table = FixedTable(keyCount)
    let locked = LockedCache()
    let actor = ActorCache()
    var configuration = QueryClient.Configuration.server
    let client = QueryClient(configuration: configuration)
    let shards = configuration.readShards ?? 1
    configuration.readShards = nil
    let single = QueryClient(configuration: configuration)
    // This client has a receiver like metrics, which learns only the number of hits.
    configuration.readShards = shards
    let hits = Atomic64()
    configuration.eventReceivers = [
      EventReceiver(hits: { _, count in hits.add(count) }) { _ in hits.add(1) }
    ]
    let measured = QueryClient(configuration: configuration)
    let queries = (0..<keyCount).map(query)
    for id in 0..<keyCount {
      _ = try? await locked.value(for: RivalKey(id: id)) { id }
      _ = try? await actor.value(for: RivalKey(id: id)) { id }
      // After the second use of an entry, further uses do not take the cache's lock.
      for _ in 0..<2 { _ = try? await client.fetch(queries[id]) }
      for _ in 0..<2 { _ = try? await measured.fetch(queries[id]) }
      _ = try? await single.fetch(queries[id])
    }
    let rivals = [
      Subject(name: control) {
        blackHole(try? await table.value(for: RivalKey(id: $0)))
      },
      Subject(name: "a lock and dictionaries") { id in
        blackHole(try? await locked.value(for: RivalKey(id: id)) { id })
      },
      Subject(name: "an actor and a dictionary of tasks", hops: true) { id in
        blackHole(try? await actor.value(for: RivalKey(id: id)) { id })
      },
    ]
    // As many tables as such a client has with 64 processors.
    let sharded = hitSubjects(of: client, queries, locks: shards, ofMany: 256)
    let counted = hitSubjects(
      of: measured,
      queries,
      suffix: ", hits counted as by metrics",
      locks: shards,
      ofMany: 256
    )
    let all =
      rivals + sharded + counted[1...1] + hitSubjects(of: single, queries, suffix: ", one lock")
    return wanted.isEmpty
      ? all : all.filter { one in wanted.contains { one.name.contains($0) } }
  }

  /// The ways to read the data of a client.
  private static func hitSubjects(
    of client: QueryClient,
    _ queries: [Query<Int>],
    suffix: String = "",
    locks: Int = 1,
    ofMany locksOfMany: Int = 1
  ) -> [Subject] {
    let keys = queries.map(\.key)
    let subjects = [
      Subject(name: "`data(for:)`, the key kept") { blackHole(client.data(for: keys[$0])) },
      Subject(name: "`fetch`, the query kept") { blackHole(try? await client.fetch(queries[$0])) },
      Subject(name: "`fetch`, the query made at the call") {
        blackHole(try? await client.fetch(query($0)))
      },
    ]
    return subjects.map { subject in
      var subject = subject
      subject.name += suffix
      (subject.locks, subject.locksOfMany) = (locks, locksOfMany)
      return subject
    }
  }

  // MARK: Hits

  func hits(_ subject: Subject) async -> [Row] {
    var rows: [Row] = []
    for (group, order) in [("same", [5]), ("spread", shuffled(Self.keyCount))] {
      let allocations = await allocations(subject, order)
      let times = await fastest(subject, order, threads)
      for (threads, time) in zip(threads, times) {
        let calls = await timed(subject, order, threads)
        let percentiles = ServedCalls.percentiles([0.5, 0.99], of: calls)
        rows.append(
          Row(
            group: group,
            name: subject.name,
            threads: threads,
            perSecond: 1e9 / time,
            p50: percentiles[0],
            p99: percentiles[1],
            allocations: allocations
          )
        )
      }
    }
    return rows
  }

  private func allocations(_ subject: Subject, _ order: [Int]) async -> Double {
    await run(subject, 1) { _ in await Self.walk(subject, order, 0, iterations) }
    let before = measure_all_allocations()
    await run(subject, 1) { _ in await Self.walk(subject, order, 0, iterations) }
    // The thread itself makes a few allocations, which rounding removes.
    return (Double(measure_all_allocations() - before) / Double(iterations) * 10).rounded() / 10
  }

  /// Measures the nanoseconds per call of all threads together, for each number of threads.
  ///
  /// The numbers of threads take turns, so that a disturbance hits all of them. The rounds are short, so
  /// that nothing disturbs some of them.
  ///
  /// - Parameters:
  ///   - subject: The cache.
  ///   - order: The keys.
  ///   - threads: The numbers of threads.
  ///   - work: How many steps of other work follow each call.
  /// - Returns: The least time for each number.
  func fastest(
    _ subject: Subject,
    _ order: [Int],
    _ threads: [Int],
    work: Int = 0
  ) async -> [Double] {
    var best = threads.map { _ in Double.infinity }
    // A round takes some milliseconds, whatever the work.
    let iterations = max(50, min(iterations, 5_000_000 / (work + 1)))
    for _ in 0..<rounds {
      for (place, count) in threads.enumerated() {
        let time = await run(subject, count) { thread in
          await Self.walk(subject, order, thread, iterations, work: work)
        }
        best[place] = min(best[place], time / Double(iterations * count))
      }
    }
    return best
  }

  private func timed(_ subject: Subject, _ order: [Int], _ threads: Int) async -> [ServedCalls] {
    let all = Mutex<[ServedCalls]>([])
    for _ in 0..<rounds {
      _ = await run(subject, threads) { [iterations] thread in
        var calls = ServedCalls(capacity: iterations)
        var place = thread * 1_237 % order.count
        for _ in 0..<iterations {
          let start = measure_time()
          await subject.call(order[place])
          calls.add(measure_time() - start)
          place = place + 1 == order.count ? 0 : place + 1
        }
        all.withLock { [calls] in $0.append(calls) }
      }
    }
    return all.withLock { $0 }
  }

  private static func walk(
    _ subject: Subject,
    _ order: [Int],
    _ thread: Int,
    _ iterations: Int,
    work: Int = 0
  ) async {
    var place = thread * 1_237 % order.count
    for _ in 0..<iterations {
      await subject.call(order[place])
      if work > 0 { spin(work) }
      place = place + 1 == order.count ? 0 : place + 1
    }
  }

  @discardableResult
  private func run(
    _ subject: Subject,
    _ threads: Int,
    _ body: @escaping @Sendable (_ thread: Int) async -> Void
  ) async -> Double {
    guard subject.hops else {
      let done = Done()
      let time = Threads.run(threads) { thread in
        InlineExecutor.run {
          await body(thread)
          done.count.add(1, ordering: .relaxed)
        }
      }
      // A call that suspends leaves the thread, so that the time would say nothing: the call was no hit.
      precondition(done.count.load(ordering: .relaxed) == threads, "\(subject.name) has suspended")
      return time
    }
    let clock = ContinuousClock()
    let start = clock.now
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<threads { group.addTask { await body(thread) } }
    }
    return nanoseconds(clock.now - start)
  }

  /// A counter like the one of a metrics backend.
  private final class Atomic64: Sendable {
    private let count = Atomic(0)

    func add(_ more: Int) { count.add(more, ordering: .relaxed) }
  }

  private final class Done: Sendable {
    let count = Atomic(0)
  }

  // MARK: Crowds

  /// Measures requests that come at once and find no data: all for one key, or each for its own key.
  func crowds() async -> [Row] {
    let count = Self.keyCount
    var rows: [Row] = []
    for (group, isOne) in [("crowd.one", true), ("crowd.each", false)] {
      rows.append(
        await crowd(group, "a lock and dictionaries", isOne ? 1 : count) { calls in
          let cache = LockedCache()
          return { id in
            try await cache.value(for: RivalKey(id: isOne ? 0 : id)) { try await calls.fetch(id) }
          }
        }
      )
      rows.append(
        await crowd(group, "an actor and a dictionary of tasks", isOne ? 1 : count) { calls in
          let cache = ActorCache()
          return { id in
            try await cache.value(for: RivalKey(id: isOne ? 0 : id)) { try await calls.fetch(id) }
          }
        }
      )
      rows.append(
        await crowd(group, "`fetch`", isOne ? 1 : count) { calls in
          let client = QueryClient(configuration: .server)
          return { id in
            let query = Query("user", isOne ? 0 : id) { try await calls.fetch(id) }
            return try await client.fetch(query.staleTime(.seconds(86_400)))
          }
        }
      )
    }
    return rows
  }

  /// Counts the requests to a server, which takes a millisecond for each.
  private final class Upstream: Sendable {
    let count = Atomic(0)

    func fetch(_ id: Int) async throws -> Int {
      count.add(1, ordering: .relaxed)
      try await Task.sleep(for: .milliseconds(1))
      return id
    }
  }

  private func crowd(
    _ group: String,
    _ name: String,
    _ expected: Int,
    _ make: (Upstream) -> @Sendable (_ id: Int) async throws -> Int
  ) async -> Row {
    let count = Self.keyCount
    var best = Double.infinity
    var (all, allocations): ([ServedCalls], Double) = ([], .infinity)
    let clock = ContinuousClock()
    for _ in 0..<rounds {
      let upstream = Upstream()
      let call = make(upstream)
      let before = measure_all_allocations()
      let start = clock.now
      let calls = await withTaskGroup(of: UInt64.self) { group in
        for id in 0..<count {
          group.addTask {
            let start = measure_time()
            blackHole(try? await call(id))
            return measure_time() - start
          }
        }
        var calls = ServedCalls(capacity: count)
        for await time in group { calls.add(time) }
        return calls
      }
      best = min(best, nanoseconds(clock.now - start))
      allocations = min(allocations, Double(measure_all_allocations() - before) / Double(count))
      precondition(upstream.count.load(ordering: .relaxed) == expected)
      all.append(calls)
    }
    let percentiles = ServedCalls.percentiles([0.5, 0.99], of: all)
    return Row(
      group: group,
      name: name,
      threads: nil,
      perSecond: Double(count) * 1e9 / best,
      p50: percentiles[0],
      p99: percentiles[1],
      allocations: (allocations * 10).rounded() / 10
    )
  }
}

/// Works without touching memory, in so many steps; each step needs the result of the one before.
@inline(never)
func spin(_ steps: Int) {
  var state: UInt64 = 1
  for _ in 0..<steps { state = state &* 6_364_136_223_846_793_005 &+ 1 }
  blackHole(state)
}
