import StreamQuery
import StreamQueryTesting
import Testing

/// Random commands in random interleavings on one infinite query.
private final class PageFuzz: Sendable {
  typealias Feed = InfiniteQuery<String, Int>

  let simulation: Simulation
  let client: QueryClient
  let server: PageServer
  let feed: Feed
  let limit: Int?

  init(seed: UInt64, limit: Int?) {
    simulation = Simulation(seed: seed)
    client = QueryClient(simulation: simulation)
    server = PageServer(last: 8, delay: .milliseconds(7), failing: [3, 9, 14])
    self.limit = limit
    feed = server.query(from: 4, maxPages: limit)
  }

  func random(_ bound: Int) -> Int { Int(simulation.nextRandom() % UInt64(bound)) }

  func start(
    _ body: @escaping @Sendable (QueryClient, Feed) async throws -> Void
  ) -> Task<
    Void, any Error
  > {
    simulation.task { [client, feed] in try await body(client, feed) }
  }

  func addPage() {
    let isNext = random(2) == 0
    let supersedes = random(3) != 0
    let caller = start { client, feed in
      if isNext {
        _ = try await client.fetchNextPage(of: feed, superseding: supersedes)
      } else {
        _ = try await client.fetchPreviousPage(of: feed, superseding: supersedes)
      }
    }
    if random(5) == 0 {
      simulation.advance(by: .milliseconds(random(7)))
      caller.cancel()
    }
  }

  /// Marks every page that is cached.
  func mark(_ name: String) {
    client.updateData(for: feed) { pages in
      pages?.updateEach { page, _ in page += "+\(name)" }
    }
  }

  func step(_ number: Int, replacing: Bool) {
    switch random(replacing ? 9 : 5) {
    case 0...3: addPage()
    case 4: mark("\(number)")
    case 5: _ = start { client, feed in await client.invalidate(feed) }
    case 6: _ = start { client, feed in await client.refetch(feed) }
    case 7: client.cancel(feed)
    default: if random(4) == 0 { client.remove(feed) }
    }
    simulation.advance(by: .milliseconds(random(12)))
  }

  /// Whether each page stands at its parameter, in an unbroken row no longer than allowed.
  func isWhole(_ data: Pages<String, Int>) -> Bool {
    let params = data.params
    return data.pages.count == params.count
      && !params.isEmpty
      && zip(params, params.dropFirst()).allSatisfy { $0 + 1 == $1 }
      && params.count <= limit ?? .max
      && zip(data.pages, params).allSatisfy { $0.hasPrefix("p\($1)#") }
  }
}

@Suite("Pages in any interleaving: I01, I08, T75") struct PageFuzzTests {
  @Test("pages and parameters stay aligned whatever happens", arguments: [nil, 3])
  func aligned(limit: Int?) {
    var most: [Int] = []
    for seed in Seeds.few(20) {
      let fuzz = PageFuzz(seed: seed, limit: limit)
      let recording = fuzz.simulation.record(fuzz.client.stream(fuzz.feed))
      for number in 0..<40 { fuzz.step(number, replacing: true) }
      fuzz.simulation.advance(by: .seconds(1))
      let shown = recording.values.compactMap(\.data)
      for data in shown {
        expect(fuzz.isWhole(data), "seed \(seed): \(data.pages) at \(data.params)")
      }
      most.append(shown.map(\.count).max() ?? 0)
      expectEqual(recording.values.last?.isFetching, false, "seed \(seed)")
      recording.cancel()
      fuzz.simulation.settle()
      expect(fuzz.simulation.isIdle, "seed \(seed): \(fuzz.simulation.leakReport())")
    }
    expectEqual(most.max(), limit ?? 8, "it never reached the end")
  }

  @Test(
    "no update is lost to a page that is added",
    arguments: Seeds.few(8)
  )
  func noUpdateIsLost(seed: UInt64) {
    let fuzz = PageFuzz(seed: seed, limit: nil)
    let recording = fuzz.simulation.record(fuzz.client.stream(fuzz.feed))
    fuzz.simulation.advance(by: .milliseconds(10))
    var marks: [String] = []
    for number in 0..<30 {
      fuzz.step(number, replacing: false)
      let before = fuzz.client.data(for: fuzz.feed)?.pages
      if fuzz.random(3) == 0 {
        fuzz.mark("m\(number)")
        if before != nil { marks.append("+m\(number)") }
      }
    }
    fuzz.simulation.advance(by: .seconds(1))
    let first = fuzz.client.data(for: fuzz.feed)?.pages.first { $0.hasPrefix("p4#") } ?? ""
    #expect(marks.count > 3)
    for mark in marks { #expect(first.contains(mark), "\(mark) is missing in \(first)") }
    recording.cancel()
  }
}
