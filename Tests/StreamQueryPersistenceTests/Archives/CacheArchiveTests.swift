import StreamQuery
import StreamQueryPersistence
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct CacheArchiveTests {
  private let archive = CacheArchive(
    entries: [
      CacheArchive.Entry(
        key: "a",
        value: Data([1, 2, 255]),
        updatedAt: Date(timeIntervalSince1970: 0.1)
      ),
      CacheArchive.Entry(
        key: "ü \"x\"\n",
        value: Data(),
        updatedAt: .distantFuture,
        isInvalidated: true,
        error: ArchivedError(description: "boom", updatedAt: .distantPast)
      ),
    ],
    mutations: [
      CacheArchive.PausedMutation(
        key: "m",
        input: Data([7]),
        submittedAt: .distantPast,
        scope: "s"
      ),
      CacheArchive.PausedMutation(
        key: "n",
        input: Data(),
        submittedAt: .distantPast,
        idempotencyKey: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
      ),
    ]
  )

  private func error(_ data: Data, limit: Int = 1 << 20) -> CacheArchiveError? {
    do throws(CacheArchiveError) {
      _ = try CacheArchive(decoding: data, maxBytes: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test("T85 T86: what is encoded is decoded, dates to the last bit") func roundTrip() throws {
    let data = try archive.encoded()
    try expectEqual(CacheArchive(decoding: data), archive)
    try expectEqual(archive.encoded(), data)
    try expectEqual(CacheArchive(decoding: CacheArchive().encoded()), CacheArchive())
  }

  @Test func everyCutIsFound() throws {
    let data = try archive.encoded()
    for count in 0..<data.count { expect(error(data.prefix(count)) != nil) }
    expectEqual(error(data + [32]), .truncated)
    expectEqual(error(data.dropLast()), .truncated)
  }

  @Test func everyChangedBitIsFound() throws {
    let data = try archive.encoded()
    for index in data.indices {
      for bit in 0..<8 {
        var changed = data
        changed[index] ^= 1 << bit
        expect(error(changed) != nil, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test func eachWrongIsToldApart() throws {
    let data = try archive.encoded()
    expectEqual(error(Data()), .notAnArchive)
    expectEqual(error(Data("{}\n".utf8)), .notAnArchive)
    expectEqual(error(data, limit: 10), .tooLarge(bytes: data.count, limit: 10))
    expectEqual(error(Data("StreamQuery-archive 2 0 0\n".utf8)), .unsupportedVersion(2))
    expectEqual(error(Data("StreamQuery-archive -9 0 0\n".utf8)), .unsupportedVersion(-9))
    expect(error(Data("StreamQuery-archive 1 99999999999999999999 0\n".utf8)) != nil)
  }

  @Test("its own name and version are part of its Codable form too") func codableForm() throws {
    struct Backup: Codable, Equatable { var archive: CacheArchive }
    let backup = Backup(archive: archive)
    let data = try JSONEncoder().encode(backup)
    try expectEqual(JSONDecoder().decode(Backup.self, from: data), backup)
    let text = String(decoding: data, as: UTF8.self)
    let newer = Data(text.replacing("\"version\":1", with: "\"version\":2").utf8)
    #expect(throws: CacheArchiveError.unsupportedVersion(2)) {
      try JSONDecoder().decode(Backup.self, from: newer)
    }
    let foreign = Data(text.replacing("StreamQuery-archive", with: "other").utf8)
    #expect(throws: CacheArchiveError.notAnArchive) {
      try JSONDecoder().decode(Backup.self, from: foreign)
    }
  }

  @Test("a sealed body of another version, name or form is an error of its own")
  func sealedBodies() throws {
    func body(_ text: String) -> CacheArchiveError? { error(CacheArchive.sealed(Array(text.utf8))) }
    let content = #""entries":[],"mutations":[]}"#
    expectNil(body(#"{"format":"StreamQuery-archive","version":1,"# + content))
    expectEqual(
      body(#"{"format":"StreamQuery-archive","version":7,"# + content),
      .unsupportedVersion(7)
    )
    expectEqual(body(#"{"format":"x","version":1,"# + content), .notAnArchive)
    for text in ["", "{}", "[]", "null", "7", #"{"format":"StreamQuery-archive","version":1}"#] {
      guard case .corrupt = body(text) else {
        Issue.record("\(text): \(String(describing: body(text)))")
        continue
      }
    }
    let fields = #""key":"k","value":"","isInvalidated":false"#
    for number in ["1e999", "-1e999", "99999999999999999999999999", "1e-999", "-0", "0.1e1"] {
      // A number that does not fit is an error or a date, and never a trap.
      let entry = "{\(fields),\"updatedAt\":\(number)}"
      let text =
        #"{"format":"StreamQuery-archive","version":1,"entries":["# + entry
        + #"],"mutations":[]}"#
      switch body(text) {
      case nil, .corrupt: break
      case let other?: Issue.record("\(number): \(other)")
      }
    }
  }

  @Test("errors say what is wrong") func descriptions() {
    let errors: [CacheArchiveError] = [
      .notAnArchive, .unsupportedVersion(2), .tooLarge(bytes: 2, limit: 1), .truncated,
      .corrupt("x"),
    ]
    expectEqual(Set(errors.map(\.description)).count, errors.count)
    expectEqual(errors[2].description, "an archive of 2 bytes: the limit is 1")
  }
}
