import Foundation
import StreamQuery
import Testing

struct ArchivedRename: Codable, Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation where Input == ArchivedRename, Output == User {
  fileprivate static var rename: Self {
    Mutation("rename-user") { try await api.rename($0.id, to: $0.name) }
  }
}

/// Archives in the shapes in which people write them.
@Suite struct ArchiveSamples {
  let client = QueryClient()

  @Test func dataGoesIntoAnArchiveAndComesBack() throws {
    client.setData([.ada], for: .users)
    client.setData(.ada, for: .user(1))
    client.setData([], for: QueryKey<[Product]>("products", Category.books, 2))
    let export = client.export()
    #expect(export.archive.entries.count == 3)
    #expect(export.skipped.isEmpty)
    let bytes = try export.archive.encoded()

    let next = QueryClient()
    let archive = try CacheArchive(decoding: bytes, limit: 1 << 20)
    let report = next.import(
      archive,
      for: [
        .query(.users), .values(of: User.self),
        .values(of: [Product].self, options: QueryOptions(gcTime: .hours(24))),
        .keyPart(Category.self), .mutation(.rename),
        .mutations(from: ArchivedRename.self, to: Void.self),
      ]
    )
    #expect(report.entryCount == 3)
    #expect(report.mutationCount == 0)
    #expect(next.data(for: .user(1)) == .ada)
    #expect(next.data(for: QueryKey<[Product]>("products", Category.books, 2)) == [])
  }

  @Test func filtersErrorsAndCodingsAreChosen() throws {
    let sealed = ArchiveCoding { value in
      Data(try JSONEncoder().encode(value).reversed())
    } decode: { type, data in
      try JSONDecoder().decode(type, from: Data(data.reversed()))
    }
    client.setData(.ada, for: .user(1))
    let export = client.export(
      .prefix("user") && .inactive,
      mutations: .mutation(Mutation.rename),
      errors: .redacted,
      coding: sealed
    )
    for skipped in export.skipped {
      switch skipped.reason {
      case .key(let error): print(skipped.key, error)
      case .notEncodable(let typeName): print(skipped.key, typeName)
      case .failed(let error): print(skipped.key, skipped.isMutation, error)
      }
    }
    let report = client.import(export.archive, for: [.values(of: User.self)], coding: sealed)
    for skipped in report.skipped {
      switch skipped.reason {
      case .unknown, .notNewer, .known, .missingPerform, .shutDown: print(skipped.key)
      case .unreadableKey(let error), .undecodable(let error): print(skipped.key, error)
      case .key(let error): print(skipped.key, error)
      }
    }
    #expect(report.skipped.count == 1)
  }

  @Test func brokenBytesAreATypedError() {
    do throws(CacheArchiveError) {
      try client.import(decoding: Data("{}".utf8))
      Issue.record("no error")
    } catch {
      switch error {
      case .notAnArchive: break
      case .unsupportedVersion, .tooLarge, .tooDeep, .truncated, .corrupt:
        Issue.record("\(error)")
      }
    }
  }

  @Test func anArchiveIsPartOfSomethingElse() throws {
    struct Backup: Codable { var archive: CacheArchive }
    let data = try PropertyListEncoder().encode(Backup(archive: client.export().archive))
    let backup = try PropertyListDecoder().decode(Backup.self, from: data)
    #expect(backup.archive == CacheArchive())
  }

  @Test func streamedQueriesComeInTwoForms() async throws {
    @Sendable func words() -> AsyncStream<String> {
      AsyncStream {
        $0.yield("a")
        $0.yield("b")
        $0.finish()
      }
    }
    let list = Query<[String]>.streamed("words", 1) { _ in words() }
    let text = Query<String>.streamed("text", fields: ["id": 1], into: "", refetch: .append) { _ in
      words()
    } reduce: {
      $0 += $1
    }
    #expect(try await client.fetch(list) == ["a", "b"])
    #expect(try await client.fetch(text) == "ab")
  }
}
