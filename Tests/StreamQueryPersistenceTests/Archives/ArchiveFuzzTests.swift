import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes that went through the hands of accidents.
@Suite("law 11: no archive traps") struct ArchiveFuzzTests {
  private let simulation = Simulation(seed: 11)

  private static let person = QueryKey<ArchivedPerson>("person", ArchivedShelf.books, 0.5)
  private static let names = QueryKey<[String]>("names", fields: ["page": 1])

  private var expected: [Archivable] {
    [
      .values(of: ArchivedPerson.self), .query(Query(key: Self.names)),
      .keyPart(ArchivedShelf.self), .mutation(Mutation<Int, Int>("m") { $0 }),
      .mutations(from: String.self, to: Int.self),
    ]
  }

  private func makeClient(age: Duration = .zero) -> QueryClient {
    let offline = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { offline }
    }
    simulation.settle()
    client.setMutationDefaults(for: "n") { _, _ in 1 }
    return client
  }

  /// An archive with all that archives have.
  private func archive() throws -> Data {
    let client = makeClient()
    client.setData(ArchivedPerson(name: "Ada \"ä\"", height: .nan), for: Self.person)
    client.setData(["x", ""], for: Self.names)
    simulation.start(Mutation<Int, Int>("m") { $0 }.scope("lane"), with: 7, on: client)
    simulation.start(Mutation<String, Int>(key: ["n", 1]), with: "a", on: client)
    simulation.run { await client.invalidate(.key(Self.names)) }
    var archive = client.export().archive
    expect(archive.entries.count == 2 && archive.mutations.count == 2)
    archive.entries[0].error = ArchivedError(description: "boom", updatedAt: simulation.date)
    client.clear()
    simulation.settle()
    return try archive.encoded()
  }

  /// What a cache holds, to tell whether it was touched.
  private func content(_ client: QueryClient) -> [String] {
    client.diagnostics().map { "\($0) \(String(describing: $0.data))" }
      + client.mutations().map { "\($0.key) \($0.input)" }
  }

  private func damage(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout ArchiveRandom) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let length = Int.random(in: 0...40, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = .random(in: .min ... .max, using: &random)
    case 2: bytes.removeSubrange(place...)
    case 3: bytes.removeSubrange(place..<min(place + length, bytes.count))
    case 4:
      // A piece of another archive.
      let from = Int.random(in: 0..<other.count, using: &random)
      bytes.insert(contentsOf: other[from..<min(from + length, other.count)], at: place)
    case 5:
      let opening = ["[", "{\"key\":", "[{"].randomElement(using: &random) ?? ""
      bytes.insert(contentsOf: String(repeating: opening, count: 3_000).utf8, at: place)
    case 6:
      let number = ["1e999", "-9223372036854775809", "1e-400", "18446744073709551616", "-0"]
        .randomElement(using: &random)
      bytes.insert(contentsOf: (number ?? "").utf8, at: place)
    case 7:
      // A number of the archive grows beyond all bounds.
      guard let digit = bytes[place...].firstIndex(where: { (48...57).contains($0) }) else {
        return
      }
      bytes.insert(contentsOf: Array(repeating: 57, count: 400), at: digit)
    default:
      let word = ["null", "true", "\"", "\\u0000", "\\ud800", "{}", "[]", ",", "$"]
        .randomElement(using: &random)
      bytes.insert(contentsOf: (word ?? "").utf8, at: place)
    }
  }

  /// Without a fitting first line next to nothing passes, and the cache is as it was.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func damagedBytesLeaveTheCacheAlone(seed: UInt64) throws {
    var random = ArchiveRandom(state: seed + 1)
    let whole = Array(try archive())
    let client = makeClient()
    client.setData(["mine"], for: Self.names)
    let before = content(client)
    for _ in 0..<100 {
      var bytes = whole
      for _ in 0...Int.random(in: 0...2, using: &random) { damage(&bytes, whole, &random) }
      guard bytes != whole else { continue }
      #expect(throws: CacheArchiveError.self) {
        try client.import(decoding: Data(bytes), for: expected, maxBytes: 1 << 20)
      }
      expectEqual(content(client), before)
    }
  }

  /// With a fitting first line the JSON behind it is reached, and what lies in the JSON.
  @Test(arguments: Seeds.few(2))
  func sealedDamageIsAnErrorOrAReport(seed: UInt64) throws {
    var random = ArchiveRandom(state: seed + 1)
    let whole = Array(try archive())
    let newline = try #require(whole.firstIndex(of: 10))
    var imported = 0
    for _ in 0..<60 {
      var body = Array(whole[(newline + 1)...])
      for _ in 0...Int.random(in: 0...2, using: &random) { damage(&body, whole, &random) }
      let client = makeClient()
      client.setData(["mine"], for: Self.names, updatedAt: .distantPast)
      let before = content(client)
      do throws(CacheArchiveError) {
        let report = try client.import(decoding: CacheArchive.sealed(body), for: expected)
        imported += report.entryCount + report.mutationCount
      } catch {
        expectEqual(content(client), before)
      }
      // Whatever came in goes out and in again.
      let again = try CacheArchive(decoding: client.export(errors: .described).archive.encoded())
      expectEmpty(makeClient().import(again, for: expected).skipped)
      client.clear()
      simulation.settle()
    }
    #expect(imported > 0)
  }

  /// Archives whose first line and JSON are right, while keys, values and dates are not.
  @Test(arguments: Seeds.few(2))
  func damagedContentIsReported(seed: UInt64) throws {
    var random = ArchiveRandom(state: seed + 1)
    let good = try CacheArchive(decoding: archive())
    for _ in 0..<60 {
      var archive = good
      for index in archive.entries.indices {
        var key = Array(archive.entries[index].key.utf8)
        var value = Array(archive.entries[index].value)
        if Bool.random(using: &random) { damage(&key, value, &random) }
        if Bool.random(using: &random) { damage(&value, key, &random) }
        archive.entries[index].key = String(decoding: key, as: UTF8.self)
        archive.entries[index].value = Data(value)
        archive.entries[index].updatedAt = Date(
          timeIntervalSinceReferenceDate: Double(bitPattern: random.next())
        )
      }
      for index in archive.mutations.indices {
        var input = Array(archive.mutations[index].input)
        damage(&input, [49, 50], &random)
        archive.mutations[index].input = Data(input)
        archive.mutations[index].submittedAt = Date(
          timeIntervalSinceReferenceDate: Double(bitPattern: random.next())
        )
      }
      let client = makeClient()
      let report = client.import(try CacheArchive(decoding: archive.encoded()), for: expected)
      expectEqual(report.entryCount + report.mutationCount + report.skipped.count, 4)
      expectEqual(client.diagnostics().count, report.entryCount)
      expectEqual(client.mutations().count, report.mutationCount)
      client.clear()
      simulation.settle()
    }
  }
}
