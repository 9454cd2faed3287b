import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// What archives bring that are older than what has happened since they named it.
struct PendingFenceTests {
  private typealias Summary = ResultSummary<String>

  private let world = PendingWorld()
  private var client: QueryClient { world.client }
  private var simulation: Simulation { world.simulation }

  /// Each way in which older data is told to stay away.
  private enum Fence: CaseIterable {
    case removal, removalOfMany, removalOfAll, reset, write, mutation

    var dataAfterwards: String? {
      switch self {
      case .removal, .removalOfMany, .removalOfAll: nil
      case .reset, .mutation: "own"
      case .write: "mine"
      }
    }
  }

  private func raise(_ fence: Fence, in world: PendingWorld) {
    let (client, query) = (world.client, world.query)
    switch fence {
    case .removal: client.remove(world.key)
    case .removalOfMany: client.remove(.prefix("name"))
    case .removalOfAll: client.remove(.all)
    case .reset: _ = world.simulation.task { await client.reset(query) }
    case .write: client.setData("mine", for: world.key, fencing: true)
    case .mutation:
      let key = world.key
      let rename = Mutation<String, String> { $0 }
        .optimistic { input, changes in changes.update(key) { $0 = input } }
      _ = world.simulation.task { try? await client.mutate(rename, with: "changed") }
    }
    world.simulation.advance(by: .seconds(2))
  }

  @Test func noArchiveBringsWhatWasFencedOutSinceItsKeyWasNamed() {
    for fence in Fence.allCases {
      let world = PendingWorld()
      let query = world.query.staleTime(.hours(1))
      let recording = world.simulation.record(world.client.stream(query))
      world.simulation.advance(by: .seconds(1))
      let old = world.archive("read before")
      raise(fence, in: world)
      expectEqual(world.data, fence.dataAfterwards, "\(fence)")
      world.send(old)
      world.simulation.advance(by: .minutes(1))
      expectEqual(world.data, fence.dataAfterwards, "\(fence)")
      #expect(recording.values.allSatisfy { $0.data != "read before" }, "\(fence)")
      expectEqual(world.finish().refusals, ["\(world.text): superseded"], "\(fence)")
      recording.cancel()
    }
  }

  @Test func aRemovalCountsForKeysThatTheCacheDoesNotKnowYet() {
    for filter in [QueryFilter.key(world.key), .prefix("name"), .all] {
      let world = PendingWorld()
      world.client.remove(filter)
      world.send(world.archive())
      expectNil(world.data)
      expectEqual(world.finish().refusals, ["\(world.text): superseded"])
    }
  }

  @Test func noRemovalIsForgottenHoweverManyFollow() {
    client.remove(world.key)
    let recording = simulation.record(client.stream(world.query))
    simulation.settle()
    for number in 0..<200 { client.remove(.prefix("other", number)) }
    world.send(world.archive("of before the removal"))
    recording.cancel()
    expectNil(world.data)
    expectEqual(world.finish().refusals, ["\(world.text): superseded"])
  }

  @Test func keysNamedAfterManyRemovalsAreFilledIn() {
    for number in 0..<200 { client.remove(.prefix("other", number)) }
    world.send(CacheArchive())
    world.send(CacheArchive(pending: [world.text]))
    let recording = simulation.record(client.stream(world.query))
    simulation.settle()
    world.send(world.archive())
    #expect(recording.summaries == [.pending(isFetching: true), .success("theirs")])
    recording.cancel()
  }

  /// A part of a key whose end asks the client something.
  private final class LastWord: Hashable, Sendable {
    let number: Int
    let speak: @Sendable () -> Void

    init(_ number: Int, _ speak: @escaping @Sendable () -> Void) {
      self.number = number
      self.speak = speak
    }

    deinit { speak() }

    static func == (lhs: LastWord, rhs: LastWord) -> Bool { lhs.number == rhs.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func keysOfManyRemovalsAreReleasedOutsideTheLock() {
    let heard = Mutex(0)
    for number in 0..<2_000 {
      let part = LastWord(number) { [weak client] in
        if client?.fetchingCount() == 0 { heard.withLock { $0 += 1 } }
      }
      // As filters, and as keys of entries.
      if number.isMultiple(of: 2) {
        client.remove(.prefix("x", part))
      } else {
        client.setData("x", for: QueryKey<String>("y", part), fencing: true)
        client.remove(QueryKey<String>("y", part))
      }
    }
    _ = world.finish()
    expectEqual(heard.withLock { $0 }, 2_000)
  }

  @Test func dataDoesNotVouchForItselfByNamingItsKey() {
    world.send(CacheArchive())
    client.remove(world.key)
    var archive = world.archive()
    archive.pending = [world.text]
    world.send(archive)
    expectNil(world.data)
    expectEqual(world.finish().refusals, ["\(world.text): superseded"])
  }

  @Test func aRemovalOfOtherKeysDoesNotMatter() {
    client.remove(.prefix("other"))
    client.setData("x", for: "other" as QueryKey<String>, fencing: true)
    world.send(world.archive())
    expectEqual(world.data, "theirs")
  }

  @Test func aFetchAfterARemovalDoesNotWait() {
    client.remove(world.key)
    let recording = simulation.record(client.stream(world.query))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.pending(isFetching: true), .success("own")])
    recording.cancel()
  }

  @Test func clearingEndsAnImport() {
    let recording = simulation.record(client.stream(world.query))
    simulation.settle()
    client.clear()
    let report = simulation.run { [world] in await world.report.value }
    expectEqual(report.entryCount, 0)
    world.send(world.archive("the former account's"))
    simulation.advance(by: .minutes(1))
    expectNil(world.data)
    expect(!client.mayAwaitImports)
    recording.cancel()
  }

  @Test func anArchiveThatIsOnItsWayWhenTheCacheIsClearedBringsNothing() {
    world.input.yield(world.archive("the former account's"))
    client.clear()
    simulation.settle()
    expectNil(world.data)
  }

  @Test func whatAnEndedImportHasInHandDoesNotLandThroughTheNextOne() {
    for seed in 0..<20 as Range<UInt64> {
      let simulation = Simulation(seed: seed)
      let client = QueryClient(simulation: simulation)
      let (old, oldInput) = AsyncStream.makeStream(of: CacheArchive.self)
      let (new, newInput) = AsyncStream.makeStream(of: CacheArchive.self)
      let former = simulation.task {
        await client.import(contentsOf: old, for: [.values(of: String.self)])
      }
      simulation.settle()
      // The former import has its archive in hand when the cache is cleared, or gets it later.
      oldInput.yield(world.archive("the former account's"))
      let present = simulation.task {
        client.clear()
        return await client.import(contentsOf: new, for: [.values(of: String.self)])
      }
      simulation.settle()
      expectNil(client.data(for: world.key), "\(seed)")
      newInput.yield(world.archive("new"))
      newInput.finish()
      expectEqual(simulation.run { await present.value.entryCount }, 1, "\(seed)")
      expectEqual(client.data(for: world.key), "new", "\(seed)")
      _ = simulation.run { await former.value }
    }
  }

  @Test func anImportThatBeginsAfterClearingIsNotEndedByTheFormerOne() {
    client.clear()
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    let report = simulation.task { [client] in
      await client.import(contentsOf: archives, for: [.values(of: String.self)])
    }
    input.yield(CacheArchive(pending: [world.text]))
    simulation.settle()
    let recording = simulation.record(client.stream(world.query))
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(isFetching: true)])
    input.yield(world.archive())
    input.finish()
    expectEqual(simulation.run { await report.value.entryCount }, 1)
    #expect(recording.summaries == [.pending(isFetching: true), .success("theirs")])
    recording.cancel()
  }

  @Test func theEndOfAClientEndsItsImports() {
    for isErased in [false, true] {
      let world = PendingWorld()
      if isErased { world.client.erase() } else { world.client.shutDown() }
      world.simulation.settle()
      let report = world.simulation.run { await world.report.value }
      expectEqual(report.entryCount, 0)
    }
  }

  @Test func anImportKeepsNoClientAliveAfterItsEnd() {
    let simulation = Simulation(seed: 1)
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    weak var former: QueryClient?
    do {
      let client = QueryClient(simulation: simulation)
      former = client
      _ = simulation.task { await client.import(contentsOf: archives) }
      simulation.settle()
      client.shutDown()
    }
    simulation.settle()
    expectNil(former)
    input.finish()
  }

  @Test func aClientThatHasEndedImportsNothing() {
    client.shutDown()
    let report = simulation.run { [client, world] in
      await client.import(contentsOf: AsyncStream { $0.yield(world.archive()) })
    }
    expectEqual(report.entryCount, 0)
  }

  // MARK: Invalidations

  @Test func anInvalidationLetsAFetchGoAndStays() {
    let query = world.query.staleTime(.hours(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let old = world.archive("read before")
    simulation.advance(by: .seconds(1))
    _ = simulation.task { [client] in await client.invalidate(query) }
    simulation.settle()
    expectEqual(world.fetch.callCount, 1)
    world.send(old)
    expect(client.isStale(query))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries.map(\.data), [nil, "read before", "own"])
    recording.cancel()
  }

  @Test func anInvalidationOfAKeyThatIsNotThereYetMarksWhatComes() {
    let query = world.query.staleTime(.hours(1))
    let old = world.archive("read before")
    simulation.advance(by: .seconds(1))
    _ = simulation.task { [client] in await client.invalidate(.prefix("name")) }
    simulation.settle()
    world.send(old)
    expectEqual(world.data, "read before")
    expect(client.isStale(query))
  }

  @Test func dataThatIsNewerThanAnInvalidationIsFresh() {
    _ = simulation.task { [client] in await client.invalidate(.prefix("name")) }
    simulation.advance(by: .seconds(1))
    world.send(world.archive())
    expect(!client.isStale(world.query.staleTime(.hours(1))))
  }

  @Test func aFetchAfterAnInvalidationDoesNotWait() {
    _ = simulation.task { [client] in await client.invalidate(.prefix("name")) }
    simulation.settle()
    let recording = simulation.record(client.stream(world.query))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.pending(isFetching: true), .success("own")])
    recording.cancel()
  }

  @Test func anExplicitRefetchDoesNotWaitAndGetsItsOwnAnswer() {
    let query = world.query.staleTime(.hours(1))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    _ = simulation.task { [client] in await client.refetch(query) }
    simulation.settle()
    expectEqual(world.fetch.callCount, 1)
    world.send(world.archive())
    simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries.map(\.data), [nil, "theirs", "own"])
    recording.cancel()
  }

  @Test func aRefetchOfAnObserverDoesNotWaitAndGetsItsOwnAnswer() {
    let observer = client.observer(of: world.query.staleTime(.hours(1)))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    expectEqual(world.fetch.callCount, 0)
    observer.startRefetch()
    simulation.settle()
    expectEqual(world.fetch.callCount, 1)
    world.send(world.archive())
    simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries.map(\.data), [nil, "theirs", "own"])
    recording.cancel()
  }

  @Test func aPageThatSomebodyHasAskedForIsAddedToWhatAnArchiveBrings() throws {
    let simulation = world.simulation
    let (client, server) = (
      QueryClient(simulation: simulation), QueryClient(simulation: simulation)
    )
    let feed = InfiniteQuery<String, Int>("feed", initialPageParam: 1) { page, _ in
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return "own \(page)"
    } nextPageParam: {
      $0.lastParam + 1
    }
    .staleTime(.hours(1))
    client.setData(Pages("old", param: 1), for: feed)
    simulation.advance(by: .seconds(1))
    server.setData(Pages("theirs", param: 1), for: feed)
    let archive = server.export().archive
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    let report = simulation.task {
      await client.import(contentsOf: archives, for: [.query(feed)])
    }
    simulation.settle()
    input.yield(CacheArchive(pending: archive.entries.map(\.key)))
    simulation.settle()
    let command = simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: .milliseconds(500))
    input.yield(archive)
    simulation.settle()
    expectEqual(client.data(for: feed)?.pages, ["theirs"])
    let pages = try simulation.run { try await command.value.pages }
    expectEqual(pages, ["theirs", "own 2"])
    input.finish()
    expectEqual(simulation.run { await report.value }.entryCount, 1)
  }
}
