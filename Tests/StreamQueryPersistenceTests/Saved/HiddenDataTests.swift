@_spi(Adapters) import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// Entries without data of their own hide nothing of what a store keeps for their keys.
struct HiddenDataTests: SlowStoreSuite {
  let simulation = Simulation(seed: 26)
  let store: SlowStore
  private let list: QueryKey<[Int]> = "list"

  init() {
    store = SlowStore(clock: simulation.clock)
  }

  /// Keeps the list, as a former launch did.
  private func keep(_ numbers: [Int] = [1]) {
    let former = client()
    former.setData(numbers, for: list)
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
  }

  private func add(_ milliseconds: Int = 10) -> Mutation<Int, Int> {
    Mutation("add") { number in
      try await Scheduling.current.clock.sleep(for: .milliseconds(milliseconds))
      return number
    }
    .optimistic { [list] number, changes in changes.update(list) { $0?.append(number) } }
    .onSuccess { [list] number, context in
      context.client.updateData(for: list) { $0 = ($0 ?? []) + [number] }
    }
  }

  private var keptList: [String] { kept }

  @Test("a mutation of a kept list that nobody has opened shows and keeps all of it")
  func mutation() {
    keep()
    let client = client()
    simulation.settle()
    simulation.start(add(), with: 2, on: client)
    expectEqual(client.data(for: list), [1, 2])
    expect(client.result(for: list).isOptimistic)
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: list), [1, 2])
    expectEqual(keptList, [#"Swift.Array<Swift.Int>["list"] [1,2]"#])
    client.shutDown()
  }

  @Test("an update below an optimistic change begins with what is kept, whoever looked before")
  func updateBelowLayer() {
    for looks in [false, true] {
      keep()
      let client = client()
      simulation.settle()
      simulation.start(add(1_000), with: 2, on: client)
      if looks { expectEqual(client.data(for: list), [1, 2]) }
      expectEqual(client.updateData(for: list) { $0?.append(5) }, [1, 5])
      expectEqual(client.data(for: list), [1, 5, 2])
      client.shutDown()
      simulation.settle()
    }
  }

  @Test("an update by a filter changes what is kept below an optimistic change")
  func filterBelowLayer() {
    keep()
    let client = client()
    simulation.settle()
    simulation.start(add(1_000), with: 2, on: client)
    let count = client.updateData(matching: .all, of: [Int].self) { _, value in
      value = (value ?? []) + [5]
    }
    expectEqual(count, 1)
    expectEqual(client.data(for: list), [1, 5, 2])
    client.shutDown()
  }

  @Test("a change that began before the store was read lies over what is kept when it is")
  func layerFirst() {
    keep()
    store.change { $0.loading = .seconds(1) }
    let client = client()
    simulation.start(add(1_500), with: 2, on: client)
    expectNil(client.data(for: list))
    expect(client.result(for: list).isRestoring)
    simulation.advance(by: .milliseconds(1_200))
    expectEqual(client.data(for: list), [1, 2])
    simulation.advance(by: .seconds(3))
    expectEqual(client.data(for: list), [1, 2])
    expectEqual(keptList, [#"Swift.Array<Swift.Int>["list"] [1,2]"#])
    client.shutDown()
  }

  @Test("a stream that left while the store was read hides nothing", arguments: [false, true])
  func goneStream(updates: Bool) {
    keep()
    store.change { $0.loading = .seconds(1) }
    let client = client()
    let recording = simulation.record(client.stream(Query(key: list)))
    simulation.settle()
    recording.cancel()
    simulation.advance(by: .seconds(2))
    if updates {
      expectEqual(client.updateData(for: list) { $0?.append(2) }, [1, 2])
    } else {
      expectEqual(client.data(for: list), [1])
    }
    client.shutDown()
    simulation.settle()
    expectEqual(keptList, [#"Swift.Array<Swift.Int>["list"] \#(updates ? "[1,2]" : "[1]")"#])
  }

  @Test("a fetch that failed before the store was read hides nothing", arguments: [false, true])
  func failedFetch(updates: Bool) {
    keep()
    store.change { $0.loading = .seconds(20) }
    let client = client()
    let query = Query(key: list) { throw Boom(1) }
    let fetched = simulation.task { [client] in try await client.fetch(query) }
    simulation.advance(by: .seconds(15))
    simulation.run { _ = await #expect(throws: Boom.self) { try await fetched.value } }
    simulation.advance(by: .seconds(10))
    if updates {
      expectEqual(client.updateData(for: list) { $0?.append(2) }, [1, 2])
    } else {
      expectEqual(client.data(for: list), [1])
    }
    client.shutDown()
  }

  @Test("what is not persisted is not looked for where the others are")
  func notPersisted() {
    keep()
    let client = client()
    simulation.settle()
    let query = Query(key: list) { throw Boom(1) }.notPersisted()
    let fetched = simulation.task { [client] in try await client.fetch(query) }
    simulation.run { _ = await #expect(throws: Boom.self) { try await fetched.value } }
    expectNil(client.data(for: list))
    client.shutDown()
  }
}
