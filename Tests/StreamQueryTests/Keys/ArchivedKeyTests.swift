import Testing

@testable import StreamQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ArchivedKeyTests {
  private var vocabulary: KeyVocabulary {
    var vocabulary = KeyVocabulary()
    vocabulary.decodings["StreamQueryTests.ArchivedShelf"] = KeyPartDecoding(of: ArchivedShelf.self)
    vocabulary.decodings["StreamQueryTests.ArchivedRange"] = KeyPartDecoding(of: ArchivedRange.self)
    vocabulary.decodings["StreamQueryTests.ArchivedLiar"] = KeyPartDecoding(of: ArchivedLiar.self)
    vocabulary.types["StreamQueryTests.ArchivedPerson"] = ArchivedPerson.self
    return vocabulary
  }

  static let keys: [AnyQueryKey] = [
    [], "", "users", ["a", "A", "ä", "a\u{308}", "\u{0}\n\"\\/\u{2028}", "🧑🏽‍🚀"],
    [0, -1, Int.max, Int.min], [true, false, nil, String?.none],
    [
      0.1, -0.0, 1e300, Double.leastNonzeroMagnitude, Double.nan, Double.infinity, -Double.infinity,
    ],
    [Float(0.1), Float.nan, -Float.infinity, Float(3)],
    [Int8(1), Int64.max, UInt64.max, UInt8(7)],
    [UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), Date(timeIntervalSince1970: 0.1)],
    [URL(string: "https://example.com/a?b=c")],
    [["a", "b"], [[1], []] as [[Int]]],
    AnyQueryKey(
      "products",
      fields: ["category": "books", "$page": 2, "$$x": ["y": nil] as KeyRecord]
    ),
    AnyQueryKey("only", fields: ["$": 1]),
    [ArchivedShelf.books, ArchivedRange(low: 1, names: ["b", "a"])],
    AnyQueryKey(ArchivedPerson.self, 42),
    [["$type": "x"] as KeyRecord, ["$Swift.Double": 1.5] as KeyRecord],
  ]

  @Test("a key that is made of its text is the same key", arguments: keys)
  func keysComeBack(key: AnyQueryKey) throws {
    let text = try key.canonicalText()
    try expectEqual(vocabulary.key(text[...]), key)
  }

  @Test(
    "text that is no key, or names what nobody expects, is an error",
    arguments: [
      "", "[", "{}", "1", "null", "\"a\"", "[1", "[1}", "[1]x", "[ 1]", "[01]", "[1e3]", "[1.5]",
      "[99999999999999999999]", "[\"\\ud800\"]", "[\"\\u0041\"]", "[{\"b\":1,\"a\":2}]",
      "[{\"a\":1,\"a\":1}]", "[{\"$App.Unknown\":1}]", "[{\"$type\":\"App.Unknown\"}]",
      "[{\"$type\":7}]", "[{\"$Swift.Double\":\"x\"}]", "[{\"$Swift.Double\":{\"$real\":\"x\"}}]",
      "[{\"$Swift.Int8\":300}]", "[{\"$Swift.UInt\":-1}]", "[{\"$a\":1,\"$b\":2}]",
      "[{\"$Foundation.UUID\":\"x\"}]", "[{\"$StreamQueryTests.ArchivedShelf\":\"cellar\"}]",
      "[{\"$StreamQueryTests.ArchivedLiar\":1}]", "[a\u{308}]",
    ]
  )
  func otherTextIsRefused(text: String) {
    #expect(throws: (any Error).self) { try vocabulary.key(text[...]) }
  }

  @Test("law 11: deep nesting is an error", arguments: ["[", "{\"a\":", "[{\"$Swift.Double\":"])
  func deepNestingIsRefused(opening: String) {
    let text = "[" + String(repeating: opening, count: 100_000)
    #expect(throws: (any Error).self) { try vocabulary.key(text[...]) }
  }

  @Test("law 11: no text traps", arguments: Seeds.few(2))
  func mutatedTextNeverTraps(seed: UInt64) throws {
    var random = ArchiveRandom(state: seed)
    let alphabet = Array("[]{}\",:$\\0123456789.eE-+truefalsnu ".utf8)
    for key in Self.keys {
      for _ in 0..<20 {
        var bytes = Array(try key.canonicalText().utf8)
        for _ in 0...Int.random(in: 0...3, using: &random) {
          let place = Int.random(in: 0...bytes.count, using: &random)
          if Bool.random(using: &random), place < bytes.count {
            bytes.remove(at: place)
          } else {
            bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: place)
          }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // Whatever is made of it is a key with exactly this text.
        if let made = try? vocabulary.key(text[...]) { try expectEqual(made.canonicalText(), text) }
      }
    }
  }
}
