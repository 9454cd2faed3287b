import StreamQuery
import StreamQueryShared
import StreamQueryTesting
import Testing

/// Data that the client alone has, because the shared cache has neither fetched nor written it.
struct SharedLocalDataTests {
  let world = World()

  @Test func itIsInvalidated() throws {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    #expect(!first.client.isStale(query))
    try world.simulation.run { try await first.cache.invalidate(query) }
    #expect(first.client.isStale(query))
    #expect(world.value(first) == 1)
    #expect(!first.client.isStale(query))
  }

  @Test func anObserverOfItRefetchesOnce() throws {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    let recording = world.simulation.record(first.client.stream(query))
    try world.simulation.run { try await first.cache.invalidate(query) }
    world.advance(2)
    #expect(recording.values.last?.data == 1)
    #expect(recording.values.last?.isStale == false)
    #expect(world.requests.value == 1)
  }

  @Test func itIsInvalidatedIfTheStoreDoesNotAcceptTheInvalidation() {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    first.link.fault.value = .refusing
    #expect(throws: SharedCacheError.store(.unavailable("refused"))) {
      try world.simulation.run { try await first.cache.invalidate(query) }
    }
    #expect(first.client.isStale(query))
  }

  @Test func itIsInvalidatedIfTheStoreDoesNotAcceptAWrite() {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    first.link.fault.value = .refusing
    #expect(throws: SharedCacheError.store(.unavailable("refused"))) {
      try world.simulation.run { try await first.cache.write(42, for: query) }
    }
    #expect(first.client.data(for: query) == 0)
    #expect(first.client.isStale(query))
  }

  /// The answer of a fetch would be compared with the change, but this one brings none.
  @Test func itIsInvalidatedAlsoIfAFetchIsUnderWayThatIsCancelledThen() throws {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    let refetching = world.simulation.task("refetch") { await first.client.refetch(query) }
    world.advance(0.5)
    #expect(world.requests.value == 1)
    try world.simulation.run { try await first.cache.invalidate(query) }
    first.client.cancel(query)
    world.simulation.settle()
    refetching.cancel()
    #expect(first.client.data(for: query) == 0)
    #expect(first.client.isStale(query))
  }

  @Test func aFetchThatIsUnderWayMakesItFresh() throws {
    let first = world.machine()
    let query = world.query(first)
    first.client.setData(0, for: query)
    let recording = world.simulation.record(first.client.stream(query))
    let refetching = world.simulation.task("refetch") { await first.client.refetch(query) }
    world.advance(0.5)
    try world.simulation.run { try await first.cache.invalidate(query) }
    world.advance(5)
    refetching.cancel()
    #expect(recording.values.last?.data == 1)
    #expect(recording.values.last?.isStale == false)
  }
}
