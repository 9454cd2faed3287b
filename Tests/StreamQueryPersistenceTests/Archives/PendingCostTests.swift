import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery
import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A part of a key that counts how often it is written.
///
/// Not private, so that it has a name in archives.
struct CountedPart: Hashable, Codable, Sendable {
  static let count = Mutex(0)
  var number: Int

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.count.withLock { $0 += 1 }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// What imports cost that go on for long, or bring many keys: counted, not measured.
struct PendingCostTests {
  private static let count = 300

  private let simulation = Simulation(seed: 98)
  private let client: QueryClient
  private let input: AsyncStream<CacheArchive>.Continuation
  private let report: Task<ArchiveImport, Never>
  private let texts = (0..<count).map { #"Swift.String["n",\#($0)]"# }

  init() {
    let client = QueryClient(simulation: simulation)
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    self.client = client
    self.input = input
    report = simulation.task {
      await client.import(contentsOf: archives, for: [.values(of: String.self)])
    }
    simulation.settle()
  }

  private func send(_ archive: CacheArchive) {
    input.yield(archive)
    simulation.settle()
  }

  private func finish() {
    input.finish()
    _ = simulation.run { [report] in await report.value }
  }

  /// Begins to fetch all keys.
  private func begin() {
    for number in 0..<Self.count {
      let query = Query(
        key: QueryKey<String>("n", number),
        fetch: ScriptedFetch<String>(.value("own", after: .seconds(1)))
      )
      _ = simulation.task { [client] in await client.prefetch(query) }
    }
    simulation.settle()
  }

  /// How often it was asked whether a fetch is to wait.
  private var questionCount: Int { client.cache.read { $0.extensions.imports.questionCount } }

  private var heldCount: Int {
    client.cache.read { state in
      state.extensions.imports.allDeferred.count { held in
        state.find(held.id).map { state.slots[$0].machine.isDeferred } ?? false
      }
    }
  }

  @Test func eachOfManyHeldFetchesIsLookedAtWhenItsOwnKeyChanges() {
    send(CacheArchive(pending: texts))
    begin()
    let entry = texts.map {
      CacheArchive.Entry(key: $0, value: .init(#""x""#.utf8), updatedAt: simulation.date)
    }
    for number in 0..<Self.count {
      let rest = Array(texts[(number + 1)...])
      send(CacheArchive(entries: [entry[number]], pending: rest))
      if number == 9 { expectEqual(heldCount, Self.count - 10) }
    }
    // One question when it begins, and none of a fetch that its data has ended.
    expectEqual(questionCount, Self.count)
    expectEqual(heldCount, 0)
    finish()
    expectEqual(questionCount, Self.count)
  }

  @Test func invalidatingManyHeldFetchesLooksAtEachOnce() {
    send(CacheArchive(pending: texts))
    begin()
    let held = heldCount
    _ = simulation.task { [client] in await client.invalidate(.prefix("n")) }
    simulation.settle()
    expectEqual(held, Self.count)
    expectEqual(heldCount, 0)
    expectEqual(questionCount, Self.count)
    // One note for all of them.
    expectEqual(client.cache.read { $0.extensions.imports.notes.count }, 1)
    simulation.advance(by: .seconds(1))
    finish()
    expect(client.cache.read { $0.extensions.imports.deferred.isEmpty })
  }

  @Test func theNamesOfWhatTheCacheKnowsAreMadeOnce() {
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    let task = simulation.task { [client] in await client.import(contentsOf: archives) }
    for number in 0..<100 {
      client.setData("x", for: QueryKey<String>("counted", CountedPart(number)))
    }
    let before = CountedPart.count.withLock { $0 }
    for number in 0..<100 {
      let text = #"Swift.String["n",\#(number)]"#
      input.yield(
        CacheArchive(entries: [
          CacheArchive.Entry(key: text, value: .init(#""x""#.utf8), updatedAt: simulation.date)
        ])
      )
    }
    input.finish()
    let report = simulation.run { await task.value }
    expectEqual(report.skipped.count, 100)
    let written = CountedPart.count.withLock { $0 } - before
    expectEqual(written, 100)
    finish()
  }

  @Test func aHeldFetchThatIsCancelledAndBegunAgainIsKeptOnce() {
    send(CacheArchive(pending: texts))
    let query = Query(key: QueryKey<String>("n", 0), fetch: ScriptedFetch<String>(.value("own")))
    for _ in 0..<10 {
      let recording = simulation.record(client.stream(query))
      simulation.settle()
      expectEqual(heldCount, 1)
      recording.cancel()
      simulation.settle()
    }
    expectEqual(client.cache.read { $0.extensions.imports.allDeferred.count }, 1)
    finish()
  }

  @Test func notesDoNotGrowForAsLongAsAnImportRuns() {
    send(CacheArchive(pending: texts))
    begin()
    var most = 0
    for number in 0..<3_000 {
      let key = QueryKey<String>("other", number)
      if number.isMultiple(of: 2) { client.setData("x", for: key, fencing: true) }
      client.remove(key)
      most = max(most, client.cache.read { $0.extensions.imports.notes.count })
    }
    expectEqual(most, KeyNotes.keyLimit)
    // What was named before could be removed for all that is known: it is fetched.
    expectEqual(heldCount, 0)
    finish()
    expectEqual(client.cache.read { $0.extensions.imports.notes.count }, 0)
  }
}
