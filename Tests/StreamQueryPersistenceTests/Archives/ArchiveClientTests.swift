import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ArchiveClientTests {
  private let simulation = Simulation(seed: 2)
  private let client: QueryClient
  private let other: QueryClient
  private let name = Query(key: QueryKey<String>("name", 1))
  private let count = Query(key: QueryKey<Int>("count"))

  init() {
    client = QueryClient(simulation: simulation)
    other = QueryClient(simulation: simulation)
  }

  @Test("T85 T86: data goes from client to client with its age") func dataMoves() throws {
    client.setData("ada", for: name)
    client.setData(3, for: count)
    simulation.advance(by: .seconds(5))
    let bytes = try client.export().archive.encoded()
    let report = try other.import(decoding: bytes, for: [.query(name), .query(count)])
    expectEqual(report.entryCount, 2)
    expectEmpty(report.skipped)
    expectEqual(other.data(for: name), "ada")
    expectEqual(other.data(for: count), 3)
    expectEqual(other.result(for: name).dataUpdatedAt, client.result(for: name).dataUpdatedAt)
    expect(other.isStale(name.staleTime(.seconds(5))))
    expect(!other.isStale(name.staleTime(.seconds(6))))
  }

  @Test("T85: the filter says what goes in") func filterChooses() {
    client.setData("ada", for: name)
    client.setData(3, for: count)
    expectEqual(client.export(.prefix("name")).archive.entries.count, 1)
    expectEqual(client.export("count").archive.entries.map(\.key), [#"Swift.Int["count"]"#])
  }

  @Test("hydrate-same-age: newer data wins, and data of the same age stays") func newerWins() {
    client.setData("theirs", for: name)
    other.setData("mine", for: name)
    let archive = client.export().archive
    let empty = QueryClient(simulation: simulation)
    expectEqual(empty.import(archive).refusals, [#"Swift.String["name",1]: unknown"#])
    let report = other.import(archive, for: [.query(name)])
    expectEqual(report.entryCount, 0)
    expectEqual(report.refusals, [#"Swift.String["name",1]: notNewer"#])
    expectEqual(other.data(for: name), "mine")
    simulation.advance(by: .seconds(1))
    client.setData("newer", for: name)
    expectEqual(other.import(client.export().archive, for: [.query(name)]).entryCount, 1)
    expectEqual(other.data(for: name), "newer")
  }

  @Test("hydrate-invalidated-stays: what was invalidated stays so") func invalidationMoves() {
    client.setData("ada", for: name)
    simulation.run { [client, name] in await client.invalidate(name) }
    other.import(client.export().archive, for: [.query(name)])
    expectEqual(other.diagnostics().map(\.isInvalidated), [true])
  }

  @Test("hydrate-while-fetching: the data shows, and the fetch goes on") func fetchGoesOn() {
    client.setData("seed", for: name)
    let archive = client.export().archive
    let fetch = ScriptedFetch(.value("fresh", after: .milliseconds(50)))
    let query = Query(key: name.key, fetch: fetch)
    let recording = simulation.record(other.stream(query))
    simulation.advance(by: .milliseconds(20))
    // What is observed need not be named.
    expectEqual(other.import(archive).entryCount, 1)
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success("seed", isFetching: true), .success("fresh"),
      ]
    )
  }

  @Test("hydrate-gc-time: options hold, and retention begins at the import") func retention() {
    client.setData("ada", for: name)
    simulation.advance(by: .seconds(10))
    let options = QueryOptions(gcTime: .seconds(50))
    other.import(client.export().archive, for: [.values(of: String.self, options: options)])
    simulation.advance(by: .seconds(49))
    expectEqual(other.data(for: name), "ada")
    simulation.advance(by: .seconds(1))
    expectEmpty(other.diagnostics())
  }

  @Test("T86: the options of an import are defaults: a query that comes later brings its own")
  func optionsOfAnImport() {
    client.setData("ada", for: name)
    simulation.advance(by: .seconds(10))
    let options = QueryOptions(staleTime: .minutes(1), gcTime: .seconds(50))
    other.import(client.export().archive, for: [.values(of: String.self, options: options)])
    expect(!other.isStale(name.key))
    let fetch = ScriptedFetch<String>(.value("grace", after: .milliseconds(10)))
    let query = Query(key: name.key, fetch: fetch).staleTime(.seconds(5)).gcTime(.seconds(100))
    let recording = simulation.record(other.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.success("ada", isFetching: true), .success("grace")])
    recording.cancel()
    simulation.advance(by: .seconds(99))
    expect(other.isStale(name.key))
    expectEqual(other.data(for: name), "grace")
    simulation.advance(by: .seconds(1))
    expectEmpty(other.diagnostics())
  }

  @Test("a type stands for all its keys, of which the parts are made") func typesStandForKeys() {
    let keys: [QueryKey<ArchivedPerson>] = [
      ["person", 1], ["person", ArchivedShelf.games, 0.5], QueryKey(ArchivedPerson.self, 7),
      QueryKey("person", fields: ["page": 2, "shelf": ArchivedShelf.books]),
    ]
    for (index, key) in keys.enumerated() {
      client.setData(ArchivedPerson(name: "\(index)", height: .infinity), for: key)
    }
    client.setData(3, for: count)
    let archive = client.export().archive
    let report = other.import(
      archive,
      for: [.values(of: ArchivedPerson.self), .keyPart(ArchivedShelf.self)]
    )
    expectEqual(report.entryCount, 4)
    expectEqual(report.refusals, [#"Swift.Int["count"]: unknown"#])
    for (index, key) in keys.enumerated() {
      expectEqual(other.data(for: key), ArchivedPerson(name: "\(index)", height: .infinity))
    }
    expectEqual(other.entries(of: ArchivedPerson.self, .prefix("person")).count, 3)
    let narrow = QueryClient(simulation: simulation)
      .import(archive, for: [.values(of: ArchivedPerson.self)])
    expectEqual(narrow.entryCount, 2)
    expectEqual(
      narrow.skipped.map(\.reason.name).sorted(),
      ["unknown", "unreadableKey", "unreadableKey"]
    )
  }

  @Test func anAbsentOptionalIsData() {
    let key = QueryKey<String?>("nickname")
    client.setData(nil, for: key)
    let report = other.import(client.export().archive, for: [.values(of: String?.self)])
    expectEqual(report.entryCount, 1)
    expect(other.result(for: key).isSuccess)
    expectEqual(other.data(for: key), .some(nil))
  }

  @Test("infinite queries are archived with their pages") func pagesMove() throws {
    let feed = InfiniteQuery<[String], Int>("feed", initialPageParam: 1) { page, _ in
      ["\(page)"]
    } nextPageParam: {
      $0.lastParam + 1
    }
    _ = try simulation.run { [client] in
      _ = try await client.fetch(feed)
      return try await client.fetchNextPage(of: feed)
    }
    expectEqual(other.import(client.export().archive, for: [.query(feed)]).entryCount, 1)
    expectEqual(other.data(for: feed)?.pages, [["1"], ["2"]])
    expect(other.result(for: feed).hasNextPage)
  }

  @Test("unknown keys, other types and broken values are skipped with a report")
  func reportsWhatIsSkipped() {
    struct Opaque: Hashable, Sendable {}
    client.setData("ada", for: name)
    client.setData(1, for: QueryKey<Int>("opaque", Opaque()))
    client.setData(Opaque(), for: QueryKey<Opaque>("value"))
    client.setData(ArchivedStone(), for: QueryKey<ArchivedStone>("unencodable"))
    let export = client.export()
    expectEqual(export.archive.entries.count, 1)
    let reasons = export.skipped.map { skipped in
      switch skipped.reason {
      case .key(let error): "\(skipped.key): part \(error.part.map(String.init) ?? "type")"
      case .notEncodable(let name): "\(skipped.key): \(name)"
      case .failed(let error): "\(error)"
      }
    }
    expectEqual(
      reasons.sorted(),
      [
        #"["opaque", Opaque]: part 1"#,
        #"["unencodable"]: StreamQueryPersistenceTests.ArchivedStone"#,
        #"["value"]: part type"#,
      ]
    )
    var archive = export.archive
    archive.entries.append(archive.entries[0])
    archive.entries[1].key = "unknown"
    archive.entries[0].value = Data("{".utf8)
    let report = other.import(archive, for: [.query(name)])
    expectEqual(report.entryCount, 0)
    expectEqual(report.skipped.map(\.reason.name), ["undecodable", "unknown"])
    expectEmpty(other.diagnostics())
  }

  @Test("a query whose key has no text is told of") func keysWithoutText() {
    struct Opaque: Hashable, Sendable {}
    let query = Query(key: QueryKey<Int>("opaque", Opaque()))
    let report = other.import(CacheArchive(), for: [.query(query)])
    expectEqual(report.skipped.map(\.reason.name), ["key"])
  }

  @Test("errors are left out, redacted or described, and stand beside the data again")
  func errorsAreRedacted() {
    struct Secret: Error {}
    let query = Query(
      key: name.key,
      fetch: ScriptedFetch<String>(.value("ada"), .failure(Secret()))
    )
    .retry(0)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.advance(by: .seconds(1))
    simulation.run { [client] in await client.refetch(.all) }
    expectEqual(recording.values.last?.isError, true)
    expectEmpty(client.export().archive.entries)
    let redacted = client.export(errors: .redacted).archive
    expectEqual(redacted.entries.map(\.error?.description), ["redacted"])
    let described = client.export(errors: .described).archive
    expectEqual(described.entries.map(\.error?.description), ["Secret()"])
    other.import(described, for: [.query(name)])
    let (old, new) = (client.result(for: name), other.result(for: name))
    expect(new.isRefetchError)
    expectEqual(new.data, "ada")
    expectEqual((new.error as? ArchivedError)?.description, "Secret()")
    expectEqual(new.errorUpdatedAt, old.errorUpdatedAt)
    expectEqual(new.dataUpdatedAt, old.dataUpdatedAt)
  }

  @Test("law 11: dates from the future have age zero, and newer data replaces them")
  func futureDates() {
    client.setData("ada", for: name)
    var archive = client.export().archive
    for date in [Date.distantFuture, Date(timeIntervalSinceReferenceDate: .infinity)] {
      archive.entries[0].updatedAt = date
      let other = QueryClient(simulation: simulation)
      other.import(archive, for: [.query(name)])
      expectEqual(other.data(for: name), "ada")
      expect(!other.isStale(name.staleTime(.seconds(60))))
      simulation.advance(by: .seconds(60))
      expect(other.isStale(name.staleTime(.seconds(60))))
      client.setData("newer", for: name)
      expectEqual(other.import(client.export().archive, for: [.query(name)]).entryCount, 1)
    }
  }

  @Test(
    "law 11: dates that are none, or before all times, are dates",
    arguments: [
      Double.nan, -.infinity, -1e300, 1e300,
    ]
  )
  func strangeDates(date: Double) throws {
    client.setData("ada", for: name)
    var archive = client.export().archive
    archive.entries[0].updatedAt = Date(timeIntervalSinceReferenceDate: date)
    archive.entries[0].error = ArchivedError(
      description: "",
      updatedAt: Date(timeIntervalSinceReferenceDate: date)
    )
    let report = try other.import(decoding: archive.encoded(), for: [.query(name)])
    expectEqual(report.entryCount, 1)
    expectEqual(other.data(for: name), "ada")
    try expectEqual(other.export(errors: .redacted).archive.encoded().isEmpty, false)
  }

  @Test("T86: a date that is none is older than all: it replaces nothing")
  func dateThatIsNone() throws {
    client.setData("ada", for: name)
    var archive = client.export().archive
    archive.entries[0].updatedAt = Date(timeIntervalSinceReferenceDate: .nan)
    other.setData("newer", for: name)
    let report = try other.import(decoding: archive.encoded(), for: [.query(name)])
    expectEqual(report.skipped.map(\.reason.name), ["notNewer"])
    expectEqual(other.data(for: name), "newer")
    // What it fills is stale at any stale time.
    other.remove(.query(name))
    other.import(archive, for: [.query(name)])
    expectEqual(other.data(for: name), "ada")
    expect(other.isStale(name.staleTime(.seconds(60))))
    expectEqual(other.import(archive, for: [.query(name)]).entryCount, 0)
  }

  @Test("one transaction: streams show all of an archive at once, and nobody sees half")
  func oneTransaction() {
    client.setData("ada", for: name)
    client.setData(3, for: count)
    let archive = client.export().archive
    let recording = simulation.record(other.stream(all: [name, Query(key: ["name", 2])]))
    let counts = simulation.record(other.stream(count))
    simulation.settle()
    var both = archive
    both.entries.append(both.entries[0])
    both.entries[2].key = #"Swift.String["name",2]"#
    expectEqual(other.import(both).entryCount, 3)
    simulation.settle()
    expectEqual(recording.values.map { $0.map(\.data) }, [[nil, nil], ["ada", "ada"]])
    expectEqual(counts.values.last?.data, 3)
  }

  @Test("layers stay out: the base is archived") func baseIsArchived() {
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    client.setData(1, for: count)
    let add = Mutation<Int, Int>("add") { $0 }
      .optimistic { input, changes in changes.update(QueryKey<Int>("count")) { $0? += input }
      }
    let task = simulation.start(add, with: 10, on: client)
    expectEqual(client.data(for: count), 11)
    other.import(client.export().archive, for: [.query(count)])
    expectEqual(other.data(for: count), 1)
    task.cancel()
    simulation.settle()
  }

  @Test("a coding of one's own takes the place of JSON") func ownCoding() {
    let coding = ArchiveCoding {
      Data(try JSONEncoder().encode($0).reversed())
    } decode: {
      try JSONDecoder().decode($0, from: Data($1.reversed()))
    }
    client.setData("ada", for: name)
    let archive = client.export(coding: coding).archive
    expectEqual(archive.entries[0].value, Data("\"ada\"".reversed().map { $0.asciiValue ?? 0 }))
    expectEqual(other.import(archive, for: [.query(count)]).entryCount, 0)
    expectEqual(other.import(archive, for: [.query(name)], coding: coding).entryCount, 1)
    expectEqual(other.data(for: name), "ada")
    let broken = ArchiveCoding { _ in
      Data()
    } decode: { _, _ in
      7
    }
    client.setData("bob", for: name)
    simulation.advance(by: .seconds(1))
    client.setData("bob", for: name)
    let report = other.import(
      client.export(coding: broken).archive,
      for: [.query(name)],
      coding: broken
    )
    expectEqual(report.skipped.map(\.reason.name), ["undecodable"])
  }

  @Test func aClientThatWasShutDownTakesNothing() {
    client.setData("ada", for: name)
    other.shutDown()
    let report = other.import(client.export().archive, for: [.query(name)])
    expectEqual(report.skipped.map(\.reason.name), ["shutDown"])
  }
}
