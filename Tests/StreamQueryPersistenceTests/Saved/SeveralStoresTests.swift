import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What the stores of one client have to do with each other: nothing.
struct SeveralStoresTests {
  private let simulation = Simulation(seed: 17)
  private let good: SlowStore
  private let bad: SlowStore

  init() {
    good = SlowStore(clock: simulation.clock)
    bad = SlowStore(clock: simulation.clock)
  }

  private func client() -> QueryClient {
    let client = QueryClient(simulation: simulation)
    for store in [bad, good] { _ = client.data(for: query(0, store)) }
    simulation.settle()
    return client
  }

  private func query(_ number: Int, _ store: SlowStore) -> Query<Int> {
    Query(key: [store === good ? "good" : "bad", number]).persisted(in: store)
  }

  private func count(_ store: SlowStore) -> Int { store.memory.load(.main).records.count }

  /// The errors of the stores that failed, in order.
  private func failures(of task: Task<Void, any Error>) async -> [String] {
    do {
      try await task.value
      return []
    } catch let error as QuerySaveError {
      return error.failures.map { failure in
        let name = failure.store === good ? "good" : failure.store === bad ? "bad" : "unknown"
        return "\(name) \(failure.partition) \(failure.error)"
      }
    } catch {
      return ["\(type(of: error))"]
    }
  }

  @Test("a store whose write never answers delays no other")
  func hanging() throws {
    bad.change { $0.writing = .hours(100_000) }
    let client = client()
    for store in [bad, good] { client.setData(1, for: query(1, store)) }
    simulation.advance(by: .seconds(1))
    #expect((bad.batches.count, good.batches.count) == (1, 1))
    #expect((count(bad), count(good)) == (0, 1))
    for store in [bad, good] { client.setData(2, for: query(2, store)) }
    simulation.advance(by: .seconds(1))
    #expect((bad.batches.count, good.batches.count) == (1, 2))
    #expect((count(bad), count(good)) == (0, 2))
    client.shutDown()
  }

  @Test("save writes to the others at once, waits for one that hangs, and is cancelled at once")
  func savedBesideAHangingStore() throws {
    bad.change { $0.writing = .hours(100_000) }
    let client = client()
    for store in [bad, good] { client.setData(1, for: query(1, store)) }
    let save = simulation.task { [client] in try await client.save() }
    let isOver = Recorded<Bool>()
    simulation.task {
      _ = await save.result
      isOver.append(true)
    }
    simulation.settle()
    #expect((count(bad), count(good)) == (0, 1))
    simulation.advance(by: .minutes(10))
    expectEqual(isOver.values, [])
    save.cancel()
    simulation.settle()
    expectEqual(isOver.values, [true])
    simulation.run { await expectEqual(failures(of: save), ["CancellationError"]) }
    client.shutDown()
  }

  @Test("save says which stores failed, in the order of their first uses")
  func whichFailed() throws {
    let client = client()
    for store in [bad, good] { client.setData(1, for: query(1, store)) }
    bad.change { $0.writeErrors = [.denied] }
    let first = simulation.task { [client] in try await client.save() }
    simulation.run {
      await expectEqual(failures(of: first), ["bad main \(QueryStoreError.denied)"])
    }
    #expect((count(bad), count(good)) == (0, 1))
    bad.change { $0.writeErrors = [.full, .full] }
    good.change { $0.writeErrors = [.denied] }
    for store in [bad, good] { client.setData(2, for: query(1, store)) }
    let second = simulation.task { [client] in try await client.save() }
    simulation.run {
      await expectEqual(
        failures(of: second),
        ["bad main \(QueryStoreError.full)", "good main \(QueryStoreError.denied)"]
      )
    }
    try simulation.run { [client] in try await client.save() }
    #expect((count(bad), count(good)) == (1, 1))
    client.shutDown()
  }

  @Test("save to a store that was read does not wait for one that is still being read")
  func savedBesideAStoreThatIsRead() throws {
    bad.change { $0.loading = .seconds(5) }
    let client = client()
    for store in [bad, good] { client.setData(1, for: query(1, store)) }
    let save = simulation.task { [client] in try await client.save() }
    simulation.settle()
    #expect((count(bad), count(good)) == (0, 1))
    simulation.advance(by: .seconds(5))
    #expect((count(bad), count(good)) == (1, 1))
    simulation.run { await expectEqual(failures(of: save), []) }
    client.shutDown()
  }

  @Test("save writes queries although the outbox hangs")
  func besideAHangingOutbox() throws {
    let client = QueryClient(simulation: simulation) { [good, bad] in
      $0.persistence = Persistence(in: good)
      $0.outbox = OutboxConfiguration(in: bad)
    }
    simulation.settle()
    bad.change { $0.writing = .hours(100_000) }
    let rename = Mutation<Int, Int>("rename") { $0 }.durable()
    let send = simulation.task { [client] in try await client.mutate(rename, with: 1) }
    simulation.settle()
    client.setData(1, for: query(1, good))
    let save = simulation.task { [client] in try await client.save() }
    simulation.settle()
    expectEqual(count(good), 1)
    save.cancel()
    send.cancel()
    simulation.settle()
    client.shutDown()
  }

  @Test("each store has the throttle of the policy that was used first")
  func throttles() {
    let client = QueryClient(simulation: simulation)
    var slow = Persistence(in: bad)
    slow.throttle = .seconds(10)
    let (one, two) = (
      Query<Int>(key: "one").persisted(slow), Query<Int>(key: "two").persisted(in: good)
    )
    _ = client.data(for: two)
    _ = client.data(for: one)
    simulation.settle()
    client.setData(1, for: one)
    client.setData(2, for: two)
    simulation.advance(by: .seconds(1))
    #expect((count(bad), count(good)) == (0, 1))
    simulation.advance(by: .seconds(9))
    #expect((count(bad), count(good)) == (1, 1))
    client.shutDown()
  }

  @Test("one store that fails is tried at its own pace, and the end writes to all")
  func ownPace() {
    let client = client()
    bad.change { $0.writeErrors = Array(repeating: .denied, count: 3) }
    client.setData(1, for: query(1, bad))
    simulation.advance(by: .seconds(3))
    #expect((bad.batches.count, good.batches.count) == (2, 0))
    client.setData(1, for: query(1, good))
    simulation.advance(by: .seconds(1))
    #expect((bad.batches.count, good.batches.count) == (2, 1))
    client.setData(2, for: query(2, good))
    bad.change { $0.writeErrors = [] }
    client.shutDown()
    simulation.settle()
    #expect((count(bad), count(good)) == (1, 2))
  }
}
