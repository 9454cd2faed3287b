import Foundation
import StreamQuery
import StreamQueryPersistence

/// Measures the costs of a store: for a launch, and for callers that write data which is saved.
enum PersistingCases {
  // This type is not private, because a private type has no name in a store.
  struct Item: Codable, Equatable {
    var id: Int
    var title: String
    var isDone: Bool
  }

  static func measure(_ suite: Suite) async {
    await restore(suite, count: 10_000)
    await note(suite, count: 1_000)
  }

  private static func client(_ store: any QueryStore, throttle: Duration) -> QueryClient {
    var configuration = QueryClient.Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive
    )
    var persistence = Persistence(in: store)
    persistence.throttle = throttle
    configuration.persistence = persistence
    return QueryClient(configuration: configuration)
  }

  private static func key(_ index: Int) -> QueryKey<Item> { QueryKey("items", index) }

  private static func item(_ index: Int) -> Item {
    Item(id: index, title: "The title of the item with the number \(index)", isDone: index % 3 == 0)
  }

  /// Measures the time from making a client to its first restored value.
  private static func restore(_ suite: Suite, count: Int) async {
    let directory = URL.temporaryDirectory.appending(path: "StreamQuery-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    do {
      let store = FileStore(directory: directory)
      let first = client(store, throttle: .seconds(1))
      for index in 0..<count { first.setData(item(index), for: key(index)) }
      try await first.save()
      first.shutDown()
      await store.close()
      var best = Double.infinity
      for _ in 0..<10 {
        let clock = ContinuousClock()
        let start = clock.now
        let store = FileStore(directory: directory)
        let next = client(store, throttle: .seconds(1))
        try await next.restore()
        guard next.data(for: key(count / 2)) == item(count / 2) else {
          return print("persist.restore: nothing was restored")
        }
        best = min(best, nanoseconds(clock.now - start))
        next.shutDown()
        await store.close()
      }
      suite.add(
        "persist.restore.\(count)",
        "restore \(count) entries from files, until one is read",
        best,
        target: 60_000_000
      )
    } catch {
      print("persist.restore: \(error)")
    }
  }

  /// Measures the cost for the caller of a write that is going to be saved.
  private static func note(_ suite: Suite, count: Int) async {
    var times = [Double.infinity, .infinity]
    for round in 0..<40 {
      let isPersisted = round % 2 == 1
      // With this throttle, the store writes nothing during the measurement.
      let client = isPersisted ? client(MemoryStore(), throttle: .seconds(600)) : World.client()
      try? await client.restore()
      for index in 0..<count { client.setData(item(index), for: key(index)) }
      try? await client.save()
      let clock = ContinuousClock()
      let start = clock.now
      for index in 0..<count { client.setData(item(-index), for: key(index)) }
      let time = nanoseconds(clock.now - start) / Double(count)
      times[isPersisted ? 1 : 0] = min(times[isPersisted ? 1 : 0], time)
      client.shutDown()
    }
    suite.add("persist.plain", "write an entry without a store", times[0])
    suite.add("persist.write", "write an entry that is saved later", times[1])
    suite.addDifference(
      "persist.note",
      "what the caller pays for the saving",
      of: "persist.write",
      over: "persist.plain",
      target: 1_000
    )
  }
}
