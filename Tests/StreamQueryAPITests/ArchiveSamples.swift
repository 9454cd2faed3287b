import Foundation
import StreamQuery
import StreamQueryPersistence
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
struct ArchiveSamples {
  let client = QueryClient()

  @Test func dataGoesIntoAnArchiveAndComesBack() throws {
    client.setData([.ada], for: .users)
    client.setData(.ada, for: .user(1))
    client.setData([], for: QueryKey<[Product]>("products", Category.books, 2))
    let export = client.export()
    expectEqual(export.archive.entries.count, 3)
    expectEmpty(export.skipped)
    let bytes = try export.archive.encoded()

    let next = QueryClient()
    let archive = try CacheArchive(decoding: bytes, maxBytes: 1 << 20)
    let report = next.import(
      archive,
      for: [
        .query(.users), .values(of: User.self),
        .values(of: [Product].self, options: QueryOptions(gcTime: .hours(24))),
        .keyPart(Category.self), .mutation(.rename),
        .mutations(from: ArchivedRename.self, to: Void.self),
      ]
    )
    expectEqual(report.entryCount, 3)
    expectEqual(report.mutationCount, 0)
    expectEqual(next.data(for: .user(1)), .ada)
    expectEqual(next.data(for: QueryKey<[Product]>("products", Category.books, 2)), [])
  }

  @Test func filtersErrorsAndCodingsAreChosen() throws {
    let sealed = ArchiveCoding { value in
      Data(try JSONEncoder().encode(value).reversed())
    } decode: { type, data in
      try JSONDecoder().decode(type, from: Data(data.reversed()))
    }
    client.setData(.ada, for: .user(1))
    let export = client.export(
      .prefix("users") && .inactive,
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
      case .unknown, .notNewer, .superseded, .known, .missingPerform, .shutDown:
        print(skipped.key)
      case .unreadableKey(let error), .undecodable(let error): print(skipped.key, error)
      case .key(let error): print(skipped.key, error)
      }
    }
    expectEqual(report.skipped.count, 1)
  }

  @Test func whatIsBeingFetchedFollows() async throws {
    client.setData(.ada, for: .user(1))
    var lines: [Data] = []
    for await export in client.exportStream(.prefix("users"), errors: .redacted) {
      expectEmpty(export.skipped)
      lines.append(try export.archive.encoded())
    }
    let (archives, input) = AsyncThrowingStream.makeStream(of: CacheArchive.self)
    for line in lines { input.yield(try CacheArchive(decoding: line)) }
    input.finish()
    let next = QueryClient()
    let report = try await next.import(contentsOf: archives, for: [.values(of: User.self)])
    expectEqual(report.entryCount, 1)
    expectEqual(next.data(for: .user(1)), .ada)
    // Both ends at the same time, as in a page that is rendered.
    let (more, page) = AsyncStream.makeStream(of: Data.self)
    let browser = QueryClient()
    async let both = browser.import(
      contentsOf: more.map { try CacheArchive(decoding: $0) },
      for: [.values(of: User.self)],
      timeout: .seconds(10)
    )
    for await export in client.exportStream(.prefix("users")) {
      page.yield(try export.archive.encoded())
    }
    page.finish()
    try await expectEqual(both.entryCount, 1)
    // A sequence that cannot fail needs no `try`.
    let pending = CacheArchive(pending: [#"Swift.String["later"]"#])
    let none = await next.import(
      contentsOf: AsyncStream {
        $0.yield(pending); $0.finish()
      }
    )
    expectEqual(none.entryCount, 0)
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
    expectEqual(backup.archive, CacheArchive())
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
    try await expectEqual(client.fetch(list), ["a", "b"])
    try await expectEqual(client.fetch(text), "ab")
  }
}
