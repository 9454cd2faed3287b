import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Queries of every kind beside a store.
struct KeptKindsTests {
  private let simulation = Simulation(seed: 17)
  private let memory = MemoryStore()

  private func client(_ change: @Sendable (inout Persistence) -> Void = { _ in }) -> QueryClient {
    QueryClient(simulation: simulation) { [memory] in
      var persistence = Persistence(in: memory)
      change(&persistence)
      $0.persistence = persistence
    }
  }

  private func end(_ client: QueryClient) {
    client.shutDown()
    simulation.settle()
  }

  private var records: [String] { memory.load(.main).records.map(\.key) }

  @Test("pages are restored as pages, also if their key is read first, and the next one follows")
  func pages() throws {
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0) { param in
      param * 10
    } nextPageParam: {
      $0.pages.count
    }
    let former = client()
    simulation.settle()
    let first = simulation.record(former.stream(feed))
    simulation.settle()
    try simulation.run { [former] in _ = try await former.fetchNextPage(of: feed) }
    first.cancel()
    end(former)
    for (readsKey, kept) in [(false, [0, 10]), (true, [0, 10, 20])] {
      let client = client()
      simulation.settle()
      if readsKey { expectEqual(client.data(for: feed.key)?.pages.elementsEqual(kept), true) }
      let recording = simulation.record(client.stream(feed.staleTime(.hours(1))))
      simulation.settle()
      expectEqual(recording.values.last?.data?.pages.elementsEqual(kept), true)
      expectEqual(recording.values.last?.hasNextPage, true)
      try simulation.run { [client] in _ = try await client.fetchNextPage(of: feed) }
      expectEqual(client.data(for: feed.key)?.pages.count, kept.count + 1)
      recording.cancel()
      end(client)
    }
  }

  /// A stream of "a" and, after a minute, "b".
  private func words() -> Query<[String]> {
    let clock = simulation.clock
    return Query<[String]>.streamed("words") { _ in
      let count = Mutex(0)
      return AsyncStream<String> {
        switch count.withLock({ count in
          count += 1
          return count
        }) {
        case 1: return "a"
        case 2:
          try? await clock.sleep(for: .seconds(60))
          return "b"
        default: return nil
        }
      }
    }
  }

  @Test("a part of a stream is not kept as if it were all")
  func streamed() throws {
    let words = words()
    let former = client()
    simulation.settle()
    let recording = simulation.record(former.stream(words))
    simulation.advance(by: .seconds(10))
    expectEqual(recording.values.last?.data, ["a"])
    expectEmpty(records)
    end(former)
    let client = client()
    simulation.settle()
    let later = simulation.record(client.stream(words.staleTime(.hours(1))))
    simulation.advance(by: .seconds(70))
    expectEqual(later.values.last?.data, ["a", "b"])
    expectEqual(records.count, 1)
    later.cancel()
    end(client)
  }

  @Test(
    "a part, and what is written over it, is kept while the retry of its stream waits for the network",
    arguments: [StreamedRefetch.reset, .append],
    [false, true]
  )
  func pausedStream(refetch: StreamedRefetch, writes: Bool) throws {
    let online = ManualSignal(true)
    let former = QueryClient(simulation: simulation) { [memory] in
      $0.persistence = Persistence(in: memory)
      $0.connectivity = Connectivity { online }
    }
    let words = Query<[String]>.streamed("words", refetch: refetch) { _ in
      AsyncThrowingStream<String, any Error> { continuation in
        continuation.yield("a")
        continuation.finish(throwing: Boom(1))
      }
    }
    .retry(.times(3).backoff(.constant(.seconds(5))))
    simulation.settle()
    let recording = simulation.record(former.stream(words))
    simulation.settle()
    online.send(false)
    simulation.advance(by: .seconds(10))
    expectEqual(recording.values.last?.isPaused, true)
    if writes {
      former.setData(["a", "mine"], for: words)
      simulation.advance(by: .seconds(5))
    }
    expectEqual(records.count, 1)
    // The former process is killed: another one reads what its store has so far.
    let next = client()
    simulation.settle()
    expectEqual(next.data(for: words), writes ? ["a", "mine"] : ["a"])
    expect(next.isStale(words.staleTime(.hours(1))))
    end(next)
    recording.cancel()
    end(former)
  }

  @Test(
    "a write is kept although a refetch hides it before it is saved, whatever becomes of the refetch",
    arguments: [false, true]
  )
  func hiddenWrite(fails: Bool) throws {
    let clock = simulation.clock
    let words = Query<[String]>.streamed("words") { _ in
      try await clock.sleep(for: .seconds(60))
      if fails { throw Boom(1) }
      return AsyncStream<String> { $0.finish() }
    }
    .retry(.never)
    let former = client()
    simulation.settle()
    former.setData(["mine"], for: words)
    let recording = simulation.record(former.stream(words))
    simulation.advance(by: .seconds(10))
    expectEqual(recording.values.last?.isPending, true)
    expectEqual(records.count, 1)
    if fails { simulation.advance(by: .seconds(60)) }
    // The former process is killed: another one reads what its store has so far.
    let next = client()
    simulation.settle()
    expectEqual(next.data(for: words), ["mine"])
    end(next)
    recording.cancel()
    end(former)
  }

  @Test(
    "what a refetch hides does not come back from the store for those who come meanwhile",
    arguments: [false, true]
  )
  func hiddenFromThoseWhoCome(fetches: Bool) throws {
    let clock = simulation.clock
    let words = Query<[String]>.streamed("words") { _ in
      try await clock.sleep(for: .seconds(60))
      return AsyncStream<String> { continuation in
        continuation.yield("new")
        continuation.finish()
      }
    }
    let client = client()
    simulation.settle()
    client.setData(["old"], for: words)
    simulation.advance(by: .seconds(5))
    expectEqual(records.count, 1)
    let recording = simulation.record(client.stream(words))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.isPending, true)
    let lasting = words.staleTime(.hours(1))
    let later = fetches ? nil : simulation.record(client.stream(lasting))
    var fetched: Task<[String], any Error>?
    if fetches { fetched = simulation.task { [client] in try await client.fetch(lasting) } }
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.isPending, true)
    simulation.advance(by: .seconds(70))
    expectEqual(recording.values.last?.data, ["new"])
    expectEqual(later?.values.contains { $0.data == ["old"] }, fetches ? nil : false)
    if let fetched { try expectEqual(simulation.run { try await fetched.value }, ["new"]) }
    later?.cancel()
    recording.cancel()
    end(client)
  }

  @Test("an invalidation outlives a process that ends while a stream brings the newer data")
  func invalidatedStream() throws {
    let words = words().staleTime(.hours(1))
    let filters: [QueryFilter] = [
      .prefix("words"), .prefix("words") && .active, .where { _ in true },
    ]
    for filter in filters {
      let former = client()
      simulation.settle()
      let recording = simulation.record(former.stream(words))
      simulation.advance(by: .seconds(70))
      expectEqual(recording.values.last?.data, ["a", "b"])
      expect(!former.isStale(words))
      former.markInvalidated(filter)
      simulation.advance(by: .seconds(10))
      expectEqual(recording.values.last?.data, ["a"])
      end(former)
      let next = client()
      simulation.settle()
      expectEqual(next.data(for: words), ["a", "b"])
      expect(next.isStale(words))
      end(next)
    }
  }

  @Test(
    "a part of a static stream is no answer for those who find it in a store or an archive",
    arguments: [false, true]
  )
  func staticPart(isArchived: Bool) throws {
    let words = words().staleTime(.static)
    let former = client()
    simulation.settle()
    let recording = simulation.record(former.stream(words))
    simulation.advance(by: .seconds(10))
    recording.cancel()
    simulation.settle()
    let archive = former.export().archive
    end(former)
    let next = isArchived ? QueryClient(simulation: simulation) : client()
    simulation.settle()
    if isArchived {
      let copy = try CacheArchive(decoding: archive.encoded())
      expectEqual(next.import(copy, for: [.query(words)]).entryCount, 1)
    }
    expectEqual(next.data(for: words), ["a"])
    expect(next.isStale(words))
    try expectEqual(simulation.run { try await next.ensure(words) }, ["a", "b"])
    expect(!next.isStale(words))
    end(next)
  }

  @Test("a write to a query that is not kept is not kept")
  func notPersisted() {
    let client = client()
    simulation.settle()
    client.setData(1, for: Query<Int>(key: "n").notPersisted())
    simulation.advance(by: .seconds(5))
    expectEmpty(records)
    end(client)
  }

  @Test("what an archive brings is kept")
  func imported() throws {
    let other = QueryClient(simulation: simulation)
    other.setData(1, for: "n" as QueryKey<Int>)
    let archive = other.export().archive
    end(other)
    let client = client()
    simulation.settle()
    _ = client.import(archive, for: [.values(of: Int.self)])
    expectEqual(client.data(for: "n" as QueryKey<Int>), 1)
    simulation.advance(by: .seconds(5))
    expectEqual(records, [#"query/Swift.Int["n"]"#])
    end(client)
  }

  @Test("new defaults while the store is read change nothing of the rest")
  func defaults() {
    let former = client()
    simulation.settle()
    former.setData(1, for: "n" as QueryKey<Int>)
    end(former)
    let client = client()
    let recording = simulation.record(client.stream(Query<Int>(key: "n") { 2 }))
    client.setDefaults(QueryDefaults(staleTime: .hours(1)))
    simulation.settle()
    expectEqual(recording.values.first { $0.data != nil }?.data, 1)
    recording.cancel()
    end(client)
  }

  @Test("dates beyond all reason end no process")
  func dates() throws {
    for date in [1e308, -1e308, .infinity, .nan, -.greatestFiniteMagnitude] {
      var bytes = Data([1, 0])
      for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: date.bitPattern >> (8 * byte))) }
      bytes.append(contentsOf: [0, 0] + Array("1".utf8))
      let record = StoreRecord(key: #"query/Swift.Int["n"]"#, value: bytes)
      try memory.write(StoreBatch(generation: .first, puts: [record]), to: .main)
      let client = client { $0.maxAge = .seconds(Int64.max) }
      simulation.settle()
      let recording = simulation.record(client.stream(Query<Int>(key: "n") { 2 }))
      simulation.settle()
      expectEqual(recording.values.last?.data, 2)
      recording.cancel()
      end(client)
    }
  }

  @Test("a client that is released leaves nothing behind, nor does one that was shut down")
  func released() {
    final class Witness: Codable, Sendable {}
    weak var witness: Witness?
    for shutsDown in [false, true] {
      do {
        let client = client()
        simulation.settle()
        let value = Witness()
        witness = value
        client.setData(value, for: "witness" as QueryKey<Witness>)
        if shutsDown { client.shutDown() }
      }
      simulation.advance(by: .minutes(10))
      expectNil(witness)
      expect(simulation.isIdle)
    }
  }

  @Test("initial data in the place of what was removed keeps nothing of it")
  func removedBeneathInitialData() throws {
    let query = Query<Int>(key: "n").initialData(7)
    let client = client()
    simulation.settle()
    let recording = simulation.record(client.stream(query))
    client.setData(1, for: query)
    simulation.advance(by: .seconds(2))
    expectEqual(records.count, 1)
    client.setData(2, for: query)
    client.clear()
    expectEqual(client.result(for: query).data, 7)
    let later = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    expectEmpty(records)
    recording.cancel()
    later.cancel()
    end(client)
  }

  @Test("a value that replaces one of the same date after a reset is kept")
  func sameDate() {
    let client = client()
    simulation.settle()
    let recording = simulation.record(client.stream(Query<Int>(key: "n")))
    client.setData(1, for: "n" as QueryKey<Int>, updatedAt: Simulation.startDate)
    simulation.advance(by: .seconds(2))
    simulation.run { [client] in await client.reset("n" as QueryKey<Int>) }
    client.setData(2, for: "n" as QueryKey<Int>, updatedAt: Simulation.startDate)
    simulation.advance(by: .seconds(2))
    recording.cancel()
    end(client)
    let next = self.client()
    simulation.settle()
    expectEqual(next.data(for: "n" as QueryKey<Int>), 2)
    end(next)
  }
}
