import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Threads that use one persisted client at the same time.
struct PersistingStressTests {
  @Test("whatever threads write, remove and read, the store ends with what the cache has")
  func threads() async throws {
    let memory = MemoryStore()
    var configuration = QueryClient.Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive
    )
    configuration.persistence = Persistence(in: memory)
    configuration.persistence?.throttle = .zero
    // Some updates come before the store is read.
    configuration.onMisuse = { _ in }
    let client = QueryClient(configuration: configuration)
    await withTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<200 {
            let key: QueryKey<Int> = ["n", (worker + round) % 10]
            switch round % 5 {
            case 0, 1: client.setData(worker * 1_000 + round, for: key)
            case 2: client.updateData(for: key) { $0 = ($0 ?? 0) + 1 }
            case 3: _ = client.data(for: key)
            default: if round % 25 == 4 { client.remove(.key(key)) }
            }
          }
        }
      }
    }
    try await client.save()
    let cached = client.entries(of: Int.self).map { "\($0.key) \($0.data)" }
    client.shutDown()

    var later = configuration
    later.persistence?.store = memory
    let next = QueryClient(configuration: later)
    try await next.restore()
    for number in 0..<10 { _ = next.data(for: ["n", number] as QueryKey<Int>) }
    let restored = next.entries(of: Int.self).map { "\($0.key) \($0.data)" }
    expectEqual(Set(restored), Set(cached))
    next.shutDown()
  }
}
