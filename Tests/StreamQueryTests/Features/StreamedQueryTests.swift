import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

private struct Torn: Error {}

/// A stream that delivers each element after ten milliseconds; `nil` is a failure.
private struct Chunks: AsyncSequence {
  typealias Element = String
  typealias Failure = any Error
  let chunks: [String?]

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<String?>

    mutating func next() async throws -> String? {
      guard let chunk = rest.popFirst() else { return nil }
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      guard let chunk else { throw Torn() }
      return chunk
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...]) }
}

/// The n-th call gets the n-th stream, the last one repeats.
private final class Server: Sendable {
  private let streams: [[String?]]
  private let count = Mutex(0)

  init(_ streams: [String?]...) { self.streams = streams }

  var callCount: Int { count.withLock { $0 } }

  func query(_ refetch: StreamedRefetch = .reset, retries: Int = 0) -> Query<[String]> {
    Query<[String]>.streamed("a", refetch: refetch) { [self] _ in
      Chunks(
        chunks: streams[
          count.withLock {
            $0 += 1
            return min($0, streams.count) - 1
          }
        ]
      )
    }
    .retry(retries) { _ in .milliseconds(5) }
  }
}

private typealias Line = TimedSummary<[String]>

private func at(_ milliseconds: Int, _ summary: ResultSummary<[String]>) -> Line {
  TimedSummary(at: .milliseconds(milliseconds), summary)
}

@Suite("T92: streamed queries") struct StreamedQueryTests {
  private let simulation = Simulation(seed: 4)
  private let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  /// Subscribes, lets the first stream end, and refetches at 50 ms.
  private func refetched(_ query: Query<[String]>) -> [Line] {
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(50))
    return Array(recording.timeline)
  }

  private let first: [Line] = [
    at(0, .pending(isFetching: true)),
    at(10, .success(["x"], isFetching: true)),
  ]

  @Test("stream-refetch-append: new elements are added to the old")
  func append() {
    let lines = refetched(Server(["x", "y"], ["u", "v"]).query(.append))
    expectEqual(lines.last, at(70, .success(["x", "y", "u", "v"])))
    #expect(lines.contains(at(20, .success(["x", "y"]))))
    #expect(lines.contains(at(60, .success(["x", "y", "u"], isFetching: true))))
  }

  @Test("stream-refetch-replace: the old data stays until the new stream has ended")
  func replace() {
    let lines = refetched(Server(["x", "y"], ["u", "v"]).query(.replace))
    expectEqual(
      lines.filter { $0.time > .milliseconds(20) },
      [
        at(50, .success(["x", "y"], isFetching: true)), at(70, .success(["u", "v"])),
      ]
    )
    expectEqual(Array(lines.prefix(2)), first)
  }

  @Test("a reset shows pending again, and then the new elements")
  func reset() {
    let lines = refetched(Server(["x", "y"], ["u", "v"]).query(.reset))
    expectEqual(
      Array(lines.filter { $0.time >= .milliseconds(50) }.prefix(2)),
      [
        at(50, .pending(isFetching: true)), at(60, .success(["u"], isFetching: true)),
      ]
    )
    expectEqual(lines.last, at(70, .success(["u", "v"])))
  }

  @Test("fresh data is not hidden by a refetch ahead of time, nor lost if that fails")
  func freshDataIsNotHiddenEarly() throws {
    let query = Server(["x"], [nil]).query(.reset).staleTime(.seconds(10))
      .refreshAhead(.fraction(0.5))
    try expectEqual(simulation.run { [client] in try await client.fetch(query) }, ["x"])
    simulation.advance(by: .seconds(6))
    try expectEqual(simulation.run { [client] in try await client.fetch(query) }, ["x"])
    expectEqual(client.data(for: query), ["x"])
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), ["x"])
    expect(!client.isStale(query))
  }

  @Test("stream-error-mid: an error stands beside what came")
  func errorKeepsWhatCame() {
    let recording = simulation.record(client.stream(Server(["x", nil]).query()))
    simulation.advance(by: .milliseconds(50))
    #expect(recording.timeline == first + [at(20, .failure(Torn(), lastGood: ["x"]))])
  }

  @Test("stream-abort: leaving stops the stream, and what came stays")
  func leavingStopsTheStream() {
    let query = Server(["x", "y", "z"]).query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    recording.cancel()
    simulation.advance(by: .milliseconds(50))
    expectEqual(client.data(for: query), ["x"])
    expectEqual(client.result(for: query.key).status, .success)
    expect(simulation.isIdle)
  }

  @Test(
    "cancelling stops the stream, keeps what came and is no error",
    arguments: [
      (StreamedRefetch.reset, ["u"]), (.append, ["x", "u"]), (.replace, ["x"]),
    ]
  )
  func cancellingKeepsWhatCame(refetch: StreamedRefetch, kept: [String]) {
    let query = Server(["x"], ["u", "v", "w"]).query(refetch)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(15))
    client.cancel(query)
    simulation.advance(by: .milliseconds(50))
    #expect(recording.timeline.last == at(65, .success(kept)))
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test(
    "a refetch that fails keeps what there is to show",
    arguments: [
      (StreamedRefetch.reset, ["u"]), (.append, ["x", "u"]), (.replace, ["x"]),
    ]
  )
  func failingRefetchKeepsWhatCame(refetch: StreamedRefetch, kept: [String]) {
    let lines = refetched(Server(["x"], ["u", nil]).query(refetch))
    expectEqual(lines.last, at(70, .failure(Torn(), lastGood: kept)))
  }

  @Test("a reset that is cancelled before its first element brings the data back")
  func cancelledResetRestores() {
    let server = Server(["x"], ["u"])
    let query = server.query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(5))
    expectNil(client.data(for: query))
    client.cancel(query)
    simulation.advance(by: .milliseconds(50))
    expectEqual(
      Array(recording.timeline.suffix(2)),
      [
        at(50, .pending(isFetching: true)), at(55, .success(["x"])),
      ]
    )
    expectEqual(
      recording.values.last?.dataUpdatedAt,
      recording.values.dropLast(2).last?.dataUpdatedAt
    )
  }

  @Test("a write during a reset takes the place of the data that was put away")
  func writeDuringReset() {
    let query = Server(["x"], ["u", "v"]).query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(5))
    client.setData(["mine"], for: query)
    client.cancel(query)
    simulation.advance(by: .milliseconds(50))
    #expect(recording.timeline.last == at(55, .success(["mine"])))
  }

  @Test("a retry starts over: nothing stands twice", arguments: [StreamedRefetch.reset, .append])
  func retryStartsOver(refetch: StreamedRefetch) throws {
    let query = Server(["x"], ["u", nil], ["u", "v"]).query(refetch, retries: 1)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(100))
    let base = refetch == .append ? ["x"] : []
    #expect(recording.summaries.last == .success(base + ["u", "v"]))
  }

  @Test("callers wait for the end; a reducer folds, also into what was written meanwhile")
  func reducerFolds() throws {
    let query = Query<String>.streamed("text", into: "") { _ in
      Chunks(chunks: ["a", "b", "c"])
    } reduce: {
      $0 += $1
    }
    simulation.task { [client] in
      try await Scheduling.current.clock.sleep(for: .milliseconds(15))
      client.updateData(for: query) { $0 = ($0 ?? "") + "!" }
    }
    let value = try simulation.run { [client] in try await client.fetch(query) }
    expectEqual(value, "a!bc")
    expectEqual(simulation.now, .milliseconds(30))
  }

  @Test(
    "an update from before the first element is folded into as well",
    arguments: [
      (StreamedRefetch.reset, ["mine", "u", "v"]), (.append, ["x", "mine", "u", "v"]),
      (.replace, ["u", "v"]),
    ]
  )
  func updateBeforeTheFirstElement(refetch: StreamedRefetch, expected: [String]) {
    let query = Server(["x"], ["u", "v"]).query(refetch)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(5))
    client.updateData(for: query) { $0 = ($0 ?? []) + ["mine"] }
    simulation.advance(by: .milliseconds(50))
    #expect(recording.summaries.last == .success(expected))
  }

  @Test(
    "so is one from before the first element of the first load",
    arguments: [StreamedRefetch.reset, .append, .replace]
  )
  func updateBeforeTheFirstElementOfTheFirstLoad(refetch: StreamedRefetch) {
    let query = Server(["x", "y"]).query(refetch)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    client.setData(["mine"], for: query)
    simulation.advance(by: .milliseconds(50))
    #expect(recording.summaries.last == .success(["mine", "x", "y"]))
  }

  @Test("initial data that comes during a reset is none of the stream's")
  func initialDataDuringAReset() {
    let query = Server(["x"], ["u", "v"]).query().initialData(["seed"])
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.query(query)) }
    simulation.advance(by: .milliseconds(5))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    #expect(recording.summaries.last == .success(["u", "v"]))
    withExtendedLifetime(second) {}
  }

  @Test func anEmptyStreamIsTheInitialValue() throws {
    let value = try simulation.run { [client, query = Server([]).query()] in
      try await client.fetch(query)
    }
    expectEqual(value, [])
  }

  @Test("a fenced write ends the stream and stays")
  func fencedWriteEndsTheStream() {
    let query = Server(["x", "y", "z"]).query()
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(15))
    client.setData(["mine"], for: query, fencing: true)
    simulation.advance(by: .milliseconds(50))
    #expect(recording.summaries.last == .success(["mine"]))
  }

  @Test(
    "many orders: elements never stand twice or out of order",
    arguments: Seeds.few(6)
  )
  func manyOrders(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let modes: [StreamedRefetch] = [.reset, .append, .replace]
    let query = Server(["1", "2", "3"], ["1", "2", nil], ["1", "2", "3"])
      .query(modes[Int(seed % 3)], retries: Int(seed % 2))
    let recording = simulation.record(client.stream(query))
    for step in 0..<12 {
      switch simulation.nextRandom() % 5 {
      case 0: simulation.task { await client.refetch(.query(query)) }
      case 1: client.cancel(query)
      case 2: simulation.task { await client.invalidate(query) }
      case 3: client.remove(.query(query))
      default: if step % 2 == 0 { client.setData([], for: query, fencing: true) }
      }
      simulation.advance(by: .milliseconds(Int(simulation.nextRandom() % 17)))
    }
    simulation.advance(by: .seconds(1))
    for data in recording.values.compactMap(\.data) where modes[Int(seed % 3)] != .append {
      expectEqual(data, Array(["1", "2", "3"].prefix(data.count)))
    }
    for data in recording.values.compactMap(\.data) {
      // Each run of a stream is a prefix of it.
      var expected = 0
      for element in data {
        expected = element == "1" ? 1 : expected + 1
        expectEqual(element, "\(expected)")
      }
    }
    let last = recording.values.last
    expectEqual(last?.isFetching, false)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }
}
