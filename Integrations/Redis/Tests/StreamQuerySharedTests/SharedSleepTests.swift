import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// What calls of the shared cache leave behind that are answered long before the end of their time.
///
/// On the clock of an app: the runtime keeps a cancelled sleep until its original time, so no call may
/// cancel one.
struct SharedSleepTests {
  /// A clock that counts the sleeps that were cancelled.
  struct CountingClock: Clock {
    let clock = ContinuousClock()
    let cancelled = Dial(0)

    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      do {
        try await clock.sleep(until: deadline, tolerance: tolerance)
      } catch {
        cancelled.with { $0 += 1 }
        throw error
      }
    }
  }

  @Test func noCallCancelsASleep() async throws {
    let clock = CountingClock()
    let store = MemorySharedStore(Scheduling())
    let machines = (0..<2).map { _ in
      var configuration = QueryClient.Configuration.server
      configuration.clock = clock
      let client = QueryClient(configuration: configuration)
      return (client, SharedCache(store, forNew: client, SharedCacheConfiguration(namespace: "n")))
    }
    let logs = machines.map { machine in Task { await machine.1.run() } }
    for number in 0..<50 {
      // One leads, with a lease that it renews, and the others follow or take what it has stored.
      try await withThrowingTaskGroup { group in
        for (client, cache) in machines {
          let query = Query<Int>("n", number) { number }
            .staleTime(.minutes(1)).timeout(.seconds(600)).shared(through: cache)
          group.addTask { _ = try await client.fetch(query, timeout: .seconds(600)) }
        }
        try await group.waitForAll()
      }
    }
    #expect(clock.cancelled.value == 0)
    for log in logs { log.cancel() }
    for (client, _) in machines { client.shutDown() }
  }
}
