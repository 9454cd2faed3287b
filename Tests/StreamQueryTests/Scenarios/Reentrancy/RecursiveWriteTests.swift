import StreamQuery
import StreamQueryTesting
import Testing

/// User code that writes what it is asked about, and code that only looks as if it did.
struct RecursiveWriteTests {
  let simulation = Simulation(seed: 5)
  let key = QueryKey<Int>("n")

  /// Counts how often it is asked; everything stops of itself at 50.
  private static func next(_ count: Dial<Int>) -> Int {
    count.with {
      $0 += 1
      return $0
    }
  }

  @Test func aBulkUpdateInsideAnUpdateOfItsKeyIsReportedAndIgnored() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    client.setData(1, for: key)
    let count = Dial(0)
    client.updateData(for: key) { value in
      let asked = Self.next(count)
      if asked < 50 {
        client.updateData(matching: .all, of: Int.self) { _, inner in inner = 100 }
      }
      value? += 1
    }
    expectEqual(count.value, 1)
    expectEqual(client.data(for: key), 2)
    expectEqual(misuses.all, [.writeInsideUpdate(key: "[\"n\"]")])
  }

  @Test func aBulkUpdateThatWritesAnotherOfItsKeysIsReportedAndIgnored() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let other = QueryKey<Int>("o")
    client.setData(1, for: key)
    client.setData(1, for: other)
    let count = Dial(0)
    client.updateData(matching: .all, of: Int.self) { key, value in
      let asked = Self.next(count)
      if asked < 50 { client.setData(asked, for: key == other ? self.key : other) }
      value? += 1
    }
    expectEqual(count.value, 2)
    expectEqual(client.data(for: key), 2)
    expectEqual(client.data(for: other), 2)
    expectEqual(misuses.count, 2)
  }

  @Test func aReducerThatWritesItsOwnKeyEnds() throws {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let count = Dial(0)
    let query = Query<Int>.streamed("n", into: 0) { _ in
      AsyncStream<Int> {
        $0.yield(1)
        $0.finish()
      }
    } reduce: { [weak client] value, element in
      let asked = Self.next(count)
      if asked < 50 { client?.setData(asked, for: QueryKey<Int>("n")) }
      value += element
    }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 1)
    expectEqual(count.value, 1)
    expectEqual(misuses.count, 1)
  }

  @Test func aMergeOfPagesThatWritesItsOwnKeyEnds() throws {
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
    let count = Dial(0)
    let server = PageServer()
    let query = server.query().merge { [weak client] _, new in
      let asked = Self.next(count)
      if asked < 50 {
        client?.setData(Pages("x\(asked)", param: 1), for: QueryKey<Pages<String, Int>>("feed"))
      }
      return new
    }
    _ = try simulation.run { try await client.fetch(query) }
    _ = try simulation.run { try await client.fetchNextPage(of: query) }
    #expect(count.value < 10)
    expectEqual(client.data(for: query)?.count, 2)
  }

  @Test(arguments: [1, 3, 6]) func anOptionThatWritesItsOwnKeyIsAskedFewTimes(_ observers: Int) {
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
    client.setData(1, for: key)
    let count = Dial(0)
    let query = Query("n") { 1 }.enabled { [weak client] _ in
      let asked = Self.next(count)
      client?.setData(asked, for: QueryKey<Int>("n"))
      return false
    }
    let recordings = (0..<observers).map { _ in simulation.record(client.stream(query)) }
    simulation.settle()
    count.value = 0
    client.setData(0, for: key)
    // Once for the change, and twice more for what the answers changed: the last time thrice, since
    // nobody else would ask again.
    expectEqual(count.value, 5 * observers)
    withExtendedLifetime(recordings) {}
  }

  @Test func aTaskThatAnUpdateStartedMayWriteLater() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    client.setData(1, for: key)
    client.updateData(for: key) { value in
      value = 2
      let executor = simulation.executor
      Task(executorPreference: executor) {
        client.setData(3, for: QueryKey<Int>("n"))
      }
    }
    simulation.settle()
    expectEqual(client.data(for: key), 3)
    expectEqual(misuses.all, [])
  }

  @Test func aFetchThatBeganInsideAnUpdateMayWriteItsKey() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    client.setData(1, for: key)
    let streams = Notes<AsyncStream<QueryResult<Int>>>()
    client.updateData(for: key) { value in
      value = 2
      streams.add(
        client.stream(
          Query<Int>("other") { context in
            context.client.setData(5, for: QueryKey<Int>("n"))
            return 1
          }
        )
      )
    }
    simulation.settle()
    expectEqual(client.data(for: key), 5)
    expectEqual(misuses.all, [])
  }

  // What stops a write in an update from asking the update for ever stops one in its events, too.
  @Test func anUpdateWhoseEventsWriteItsKeyComesToAnEnd() {
    let (a, b) = (QueryKey<Int>("a"), QueryKey<Int>("b"))
    let client = Dial<QueryClient?>(nil)
    let misuses = Notes<String>()
    client.value = QueryClient(simulation: simulation) {
      $0.onMisuse = { misuses.add("\($0)") }
      $0.onEvent = { event in
        guard case .written = event.kind, event.key == AnyQueryKey("b") else { return }
        client.value?.setData(100, for: a)
      }
    }
    client.value?.setData(1, for: a)
    client.value?.updateData(for: a) { value in
      client.value?.setData(1, for: b)
      value = (value ?? 0) + 1
    }
    expectEqual(client.value?.data(for: a), 2)
    expectEqual(misuses.count, 1)
    client.value = nil
  }
}
