import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Brackets in archives, on a stack that has no room for all of them.
struct DeepArchiveTests {
  private func brackets(_ count: Int, _ open: String = "[", _ close: String = "]") -> String {
    String(repeating: open, count: count) + String(repeating: close, count: count)
  }

  private func error(_ body: String) -> CacheArchiveError? {
    let data = CacheArchive.sealed(Array(body.utf8))
    return onSmallStack { () -> CacheArchiveError? in
      do throws(CacheArchiveError) {
        _ = try CacheArchive(decoding: data)
        return nil
      } catch {
        return error
      }
    } ?? nil
  }

  @Test("a body that nests too deep is refused before it is read") func bodies() {
    for count in [17, 300, 511, 512, 513, 1_000_000] {
      expectEqual(error(brackets(count)), .tooDeep(limit: 16))
      expectEqual(error(String(repeating: "[", count: count)), .tooDeep(limit: 16))
      expectEqual(error(brackets(count, "{\"a\":", "}")), .tooDeep(limit: 16))
      expectEqual(error("]]]]" + brackets(count)), .tooDeep(limit: 16))
    }
    #expect(CacheArchiveError.tooDeep(limit: 16).description.contains("16 levels"))
  }

  @Test("brackets in strings are no levels") func strings() throws {
    let text = String(repeating: "[{\"\\", count: 200)
    let archive = CacheArchive(
      entries: [CacheArchive.Entry(key: text, value: Data(text.utf8), updatedAt: .distantPast)]
    )
    try expectEqual(CacheArchive(decoding: archive.encoded()), archive)
  }

  @Test("JSON in another encoding, where brackets look otherwise, is refused") func encodings() {
    // In UTF-16 this is a bracket in a string that an eye for single bytes takes for no string.
    let text = "\"\u{2200}\"" + brackets(300)
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32] {
      let body = text.data(using: encoding) ?? Data()
      let data = CacheArchive.sealed(Array(body))
      #expect(throws: CacheArchiveError.corrupt("it is not UTF-8")) {
        try CacheArchive(decoding: data)
      }
    }
  }

  @Test("keys and values that nest too deep are skipped with a reason", arguments: [300, 100_000])
  func keysAndValues(count: Int) throws {
    let key = try QueryKey<Chain>("k").canonicalText()
    let name = String(key.prefix { $0 != "[" })
    let value = Data((brackets(count, "{\"next\":", "}").replacing(":}", with: ":{}}")).utf8)
    let good = Data("{\"next\":{}}".utf8)
    let archive = CacheArchive(entries: [
      CacheArchive.Entry(key: name + brackets(count), value: good, updatedAt: .distantPast),
      CacheArchive.Entry(
        key: name + String(repeating: "[{\"a\":", count: count),
        value: good,
        updatedAt: .distantPast
      ),
      CacheArchive.Entry(key: key, value: value, updatedAt: .distantPast),
      CacheArchive.Entry(key: name + "[1]", value: good, updatedAt: .distantPast),
    ])
    let report = onSmallStack { () -> [String] in
      let client = QueryClient()
      let report = client.import(archive, for: [.values(of: Chain.self)])
      return report.skipped.map(\.reason.name) + ["\(report.entryCount)"]
    }
    expectEqual(report, ["unreadableKey", "unreadableKey", "undecodable", "1"])
  }

  @Test("a value goes in and out up to 128 levels, and no deeper goes in") func values() throws {
    let answers = onSmallStack { () -> [Int] in
      [100, 127, 128, 129, 150].map { levels in
        let client = QueryClient()
        client.setData(Chain.of(levels), for: QueryKey("k"))
        let export = client.export()
        let other = QueryClient()
        let report = other.import(export.archive, for: [.values(of: Chain.self)])
        guard export.skipped.isEmpty else {
          guard case .failed(CacheArchiveError.tooDeep(limit: 128)) = export.skipped[0].reason
          else { return -2 }
          return -1
        }
        return report.entryCount
      }
    }
    expectEqual(answers, [1, 1, 1, -1, -1])
  }
}

final class Chain: Codable, Sendable {
  let next: Chain?

  init(_ next: Chain?) { self.next = next }

  /// So many objects in each other.
  static func of(_ levels: Int) -> Chain {
    var chain = Chain(nil)
    for _ in 1..<levels { chain = Chain(chain) }
    return chain
  }
}
