import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Archives of a cache whose fetches are still running.
struct PendingExportTests {
  private struct Refused: Error {}

  private let simulation = Simulation(seed: 85)
  private let isOnline = ManualSignal(true)
  private let server: QueryClient

  init() {
    server = QueryClient(simulation: simulation) { [isOnline] in
      $0.connectivity = Connectivity { isOnline }
    }
  }

  /// Begins to fetch a key whose data takes some time.
  private func begin(_ name: String, _ steps: ScriptedFetch<String>.Step...) {
    let query = Query(key: QueryKey<String>(name), fetch: ScriptedFetch(steps)).retry(0)
    _ = simulation.task { [server] in await server.prefetch(query) }
    simulation.settle()
  }

  /// The keys of the entries, and of what is pending, in one line.
  private func line(_ export: ArchiveExport) -> String {
    func names(_ texts: [String]) -> String {
      texts.map { $0.split(separator: "\"").dropFirst().joined() }.map { String($0.dropLast()) }
        .joined(separator: " ")
    }
    let archive = export.archive
    return "\(names(archive.entries.map(\.key))) | \(names(archive.pending))"
  }

  @Test func archivesFollowUntilNothingIsPending() {
    server.setData("done", for: "a" as QueryKey<String>)
    begin("b", .value("slow", after: .seconds(2)))
    begin("c", .value("quick", after: .seconds(1)))
    let recording = simulation.record(server.exportStream())
    simulation.settle()
    expectEqual(recording.values.map(line), ["a | b c"])
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map(line), ["a | b c", "c | b"])
    expect(!recording.isFinished)
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map(line), ["a | b c", "c | b", "b | "])
    expect(recording.isFinished)
  }

  @Test func withoutFetchesThereIsOneArchiveWhichIsThatOfAnExport() {
    server.setData("done", for: "a" as QueryKey<String>)
    let recording = simulation.record(server.exportStream())
    simulation.settle()
    expectEqual(recording.values.map(\.archive), [server.export().archive])
    expect(recording.isFinished)
  }

  @Test func anExportByItselfNamesNothingPending() {
    begin("a", .never)
    expectEqual(server.export().archive, CacheArchive())
  }

  @Test func aSlowReaderGetsWhatHasArrivedInOneArchive() {
    for (index, name) in ["a", "b", "c"].enumerated() {
      begin(name, .value(name, after: .seconds(index + 1)))
    }
    let reader = simulation.task { [server, clock = simulation.clock] in
      var exports: [ArchiveExport] = []
      for await export in server.exportStream() {
        exports.append(export)
        try? await clock.sleep(for: .milliseconds(2_500))
      }
      return exports
    }
    let exports = simulation.run { await reader.value }
    expectEqual(exports.map(line), [" | a b c", "a b | c", "c | "])
  }

  @Test func manyEndsAreGatheredSoThatNamesAreNotRepeatedForEach() {
    let count = 1_000
    for number in 0..<count {
      begin("\(number)", .value("x", after: .milliseconds(number + 1)))
    }
    let recording = simulation.record(server.exportStream())
    simulation.advance(by: .milliseconds(49))
    expectEqual(recording.values.count, 1)
    simulation.advance(by: .milliseconds(1))
    expectEqual(recording.values.map(\.archive.entries.count), [0, 49])
    simulation.advance(by: .seconds(2))
    expect(recording.isFinished)
    let archives = recording.values.map(\.archive)
    expectEqual(archives.reduce(0) { $0 + $1.entries.count }, count)
    expectEqual(archives.last?.pending, [])
    // Without that it would be half a million. The last hundred follow one by one.
    let names = archives.reduce(0) { $0 + $1.pending.count }
    #expect(names < 30_000)
    #expect(archives.count < 200)
  }

  @Test func whatIsGatheredIsNotAwaitedByACancelledReader() {
    for number in 0..<200 { begin("\(number)", .value("x", after: .milliseconds(number + 1))) }
    let recording = simulation.record(server.exportStream())
    simulation.advance(by: .milliseconds(5))
    recording.cancel()
    simulation.settle()
    expect(recording.isFinished)
    expectEqual(recording.values.count, 1)
    simulation.advance(by: .seconds(1))
  }

  @Test func whatFailsIsNoLongerNamedAndItsErrorIsNotSent() {
    begin("a", .failure(Refused(), after: .seconds(1)))
    begin("b", .value("b", after: .seconds(2)))
    let recording = simulation.record(server.exportStream(errors: .described))
    simulation.advance(by: .seconds(3))
    expectEqual(recording.values.map(line), [" | a b", " | b", "b | "])
  }

  @Test func whatIsCancelledRemovedOrPausedIsNoLongerNamed() {
    for name in ["a", "b"] { begin(name, .never) }
    begin("c", .failure(Refused()), .value("c"))
    let query = Query(key: "d" as QueryKey<String>, fetch: ScriptedFetch(.failure(Refused())))
    _ = simulation.task { [server] in await server.prefetch(query.retry(5)) }
    simulation.settle()
    let recording = simulation.record(server.exportStream())
    simulation.settle()
    expectEqual(recording.values.map(line), [" | a b d"])
    server.cancel("a" as QueryKey<String>)
    simulation.settle()
    server.remove("b" as QueryKey<String>)
    simulation.settle()
    isOnline.send(false)
    simulation.advance(by: .minutes(1))
    expectEqual(recording.values.map(line), [" | a b d", " | b d", " | d", " | "])
    expect(recording.isFinished)
  }

  @Test func dataThatIsRefetchedIsSentAtOnceAndNotAwaited() {
    server.setData("old", for: "a" as QueryKey<String>)
    begin("a", .value("new", after: .seconds(1)))
    let recording = simulation.record(server.exportStream())
    simulation.settle()
    expectEqual(recording.values.map(line), ["a | "])
    expect(recording.isFinished)
  }

  @Test func dataOfAFirstFetchIsSentAlthoughARefetchFollowsThatNeverEnds() {
    let query = Query(
      key: "a" as QueryKey<String>,
      fetch: ScriptedFetch<String>(.value("a", after: .seconds(1)), .never)
    )
    let observer = simulation.record(server.stream(query))
    simulation.settle()
    let reader = simulation.task { [server, clock = simulation.clock] in
      var exports: [ArchiveExport] = []
      for await export in server.exportStream() {
        exports.append(export)
        try? await clock.sleep(for: .milliseconds(1_500))
      }
      return exports
    }
    simulation.advance(by: .milliseconds(1_200))
    _ = simulation.task { [server] in await server.invalidate(query) }
    let exports = simulation.run { await reader.value }
    expectEqual(exports.map(line), [" | a", "a | "])
    expectEqual(simulation.now, .seconds(3))
    observer.cancel()
  }

  @Test func aStreamedQueryIsNotNamedAndPartsOfItAreNotSent() {
    let (words, input) = AsyncStream.makeStream(of: String.self)
    let query = Query<[String]>.streamed("live") { _ in words }
    let observer = simulation.record(server.stream(query))
    simulation.settle()
    let before = simulation.record(server.exportStream())
    simulation.settle()
    input.yield("a")
    simulation.settle()
    let during = simulation.record(server.exportStream())
    simulation.settle()
    input.finish()
    simulation.settle()
    let after = simulation.record(server.exportStream())
    simulation.settle()
    let lines = [before, during, after].map { $0.values.map(line) }
    expectEqual(lines, [[" | "], [" | "], ["live | "]])
    expect(before.isFinished && during.isFinished && after.isFinished)
    observer.cancel()
  }

  @Test func aFetchThatWaitsForAnImportIsNotNamed() {
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    _ = simulation.task { [server] in await server.import(contentsOf: archives) }
    input.yield(CacheArchive(pending: [#"Swift.String["a"]"#]))
    simulation.settle()
    begin("a", .value("a"))
    let recording = simulation.record(server.exportStream())
    simulation.settle()
    expectEqual(recording.values.map(line), [" | "])
    expect(recording.isFinished)
    input.finish()
    simulation.settle()
  }

  @Test func theFilterChoosesWhatIsAwaited() {
    for name in ["a", "b"] { begin(name, .value(name, after: .seconds(1))) }
    let recording = simulation.record(server.exportStream("b"))
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.map(line), [" | b", "b | "])
  }

  @Test func aShutDownAndACancellationEndTheArchives() {
    begin("a", .never)
    let (one, other) = (
      simulation.record(server.exportStream()), simulation.record(server.exportStream())
    )
    simulation.settle()
    one.cancel()
    simulation.settle()
    expect(one.isFinished)
    expect(!other.isFinished)
    server.shutDown()
    simulation.settle()
    expect(other.isFinished)
  }

  @Test func aKeyWithoutATextAndAValueWithoutACodingAreReported() {
    let query = Query(key: QueryKey<ArchivedStone>("stone")) { [clock = simulation.clock] in
      try await clock.sleep(for: .seconds(1))
      return ArchivedStone()
    }
    let nameless = Query(key: QueryKey<String>(ArchivedStone())) { [clock = simulation.clock] in
      try await clock.sleep(for: .seconds(1))
      return "x"
    }
    _ = simulation.task { [server] in await server.prefetch(query) }
    _ = simulation.task { [server] in await server.prefetch(nameless) }
    simulation.settle()
    let recording = simulation.record(server.exportStream())
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.map(\.skipped.count), [1, 1])
    expectEqual(recording.values.map(\.archive.pending.count), [1, 0])
    expectEqual(recording.values.map(\.archive.entries.count), [0, 0])
  }

  @Test func anArchiveThatAwaitsNothingHasTheBytesOfEarlierReleases() throws {
    let entry = CacheArchive.Entry(key: "k", value: .init([1]), updatedAt: .init())
    let plain = CacheArchive(entries: [entry])
    let pending = CacheArchive(entries: [entry], pending: ["a", "ü \"b\""])
    #expect(!String(decoding: try plain.encoded(), as: UTF8.self).contains("pending"))
    for archive in [plain, pending] {
      try expectEqual(CacheArchive(decoding: archive.encoded()), archive)
    }
  }
}
