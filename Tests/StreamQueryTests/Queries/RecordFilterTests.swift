import Testing

@testable import StreamQuery

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What filters say about entries that only a store has.
struct RecordFilterTests {
  private let texts = [
    #"Swift.Int["a"]"#, #"Swift.Int["a",1]"#, #"Swift.Int["ab",1]"#, #"Swift.String["a",1]"#,
    #"Swift.Int[]"#,
  ]

  private func matched(_ filter: QueryFilter) -> [Int] {
    let filter = RecordFilter(filter)
    return texts.indices.filter { filter.answer(for: texts[$0]) != .no }
  }

  @Test("keys and prefixes are compared part by part")
  func keys() {
    expectEqual(matched(.all), [0, 1, 2, 3, 4])
    expectEqual(matched(["a"]), [0, 1, 3])
    expectEqual(matched(["a", 1]), [1, 3])
    expectEqual(matched([]), [0, 1, 2, 3, 4])
    expectEqual(matched(.key("a" as QueryKey<Int>)), [0])
    expectEqual(matched(!["a"]), [2, 4])
    expectEqual(matched(["a"] || ["ab"]), [0, 1, 2, 3])
  }

  @Test("a filter of keys names the records that it means")
  func exactTexts() {
    let (one, other) = ("a" as QueryKey<Int>, "b" as QueryKey<String>)
    let texts = [#"Swift.Int["a"]"#, #"Swift.String["b"]"#]
    expectEqual(RecordFilter(.key(one)).exactTexts, [texts[0]])
    expectEqual(RecordFilter(.key(one) || .key(other)).exactTexts, Set(texts))
    expectNil(RecordFilter(.key(one) || ["b"]).exactTexts)
    expectNil(RecordFilter(!.key(one)).exactTexts)
    expectNil(RecordFilter(.all).exactTexts)
    expectEqual(RecordFilter(.active).exactTexts, [])
  }

  @Test("records match by subset and arrays by their beginning, as in the cache, whatever the text")
  func shapes() {
    let keys: [QueryKey<Int>] = [
      QueryKey("n", fields: ["a": "x,\"]}", "b": 2]), QueryKey("n", fields: ["a": 1, "b": 2]),
      QueryKey("n", [1, 2, 3]), QueryKey("n", [1]), QueryKey("n", UUID()),
      QueryKey("n", fields: ["in": ["c": 3, "d": [1, 2]] as KeyRecord, "$a": 4]),
    ]
    let prefixes: [AnyQueryKey] = [
      AnyQueryKey("n", fields: ["b": 2]), AnyQueryKey("n", fields: ["a": "x,\"]}"]),
      AnyQueryKey("n", [1]), AnyQueryKey("n", [1, 2]),
      AnyQueryKey("n", fields: ["in": ["d": [1]] as KeyRecord]),
      AnyQueryKey("n", fields: ["$a": 4]), AnyQueryKey("n", KeyRecord()),
    ]
    for prefix in prefixes {
      let filter = RecordFilter(.prefix(prefix))
      for key in keys {
        let text = (try? EntryKey(key).canonicalText()) ?? ""
        expectEqual(
          filter.answer(for: text) == .yes,
          prefix.isPrefix(of: key),
          "\(prefix) \(text)"
        )
      }
      for text in ["", "[", "I[\"n\",{", "I[\"n\",{\"", "x]]]}}}", "[\"n\",}]"] {
        expectEqual(filter.answer(for: text), .no)
      }
      expectEqual(filter.answer(for: String(repeating: "[", count: 100_000)), .no)
    }
  }

  @Test("they are not observed, idle and successful; what a predicate says of them is not known")
  func states() {
    expectEqual(matched(.active), [])
    expectEqual(matched(["a"] && !.active), [0, 1, 3])
    expectEqual(matched(.fetching), [])
    expectEqual(matched(["a"] && .where { _ in false }), [0, 1, 3])
    expectEqual(matched(["a"] && !.where { _ in true }), [0, 1, 3])
    expectEqual(matched(["a", 1] && .stale), [1, 3])
  }

  @Test("what nobody can know of a record is neither a yes nor a no, and keys decide beside it")
  func maybe() {
    func answers(_ filter: QueryFilter) -> [RecordFilter.Answer] {
      let filter = RecordFilter(filter)
      return texts.prefix(3).map { filter.answer(for: $0) }
    }
    expectEqual(answers(.stale), [.maybe, .maybe, .maybe])
    expectEqual(answers(!.stale), [.maybe, .maybe, .maybe])
    expectEqual(answers(["a"] && .stale), [.maybe, .maybe, .no])
    expectEqual(answers(["a"] || .where { _ in false }), [.yes, .yes, .maybe])
  }

  @Test("a filter of keys says so")
  func isOfKeys() {
    expect(RecordFilter(!["a"] || .key("b" as QueryKey<Int>)).isOfKeys)
    expect(!RecordFilter(["a"] && .stale).isOfKeys)
    expect(!RecordFilter(.where { _ in true }).isOfKeys)
  }
}
