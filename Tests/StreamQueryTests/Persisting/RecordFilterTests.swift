import Testing

@testable import StreamQuery

/// What filters say about entries that only a store has.
struct RecordFilterTests {
  private let texts = [
    #"Swift.Int["a"]"#, #"Swift.Int["a",1]"#, #"Swift.Int["ab",1]"#, #"Swift.String["a",1]"#,
    #"Swift.Int[]"#,
  ]

  private func matched(_ filter: QueryFilter) -> [Int] {
    let filter = RecordFilter(filter)
    return texts.indices.filter { filter.mayMatch(texts[$0]) }
  }

  @Test("keys and prefixes are compared part by part")
  func keys() {
    #expect(matched(.all) == [0, 1, 2, 3, 4])
    #expect(matched(["a"]) == [0, 1, 3])
    #expect(matched(["a", 1]) == [1, 3])
    #expect(matched([]) == [0, 1, 2, 3, 4])
    #expect(matched(.key("a" as QueryKey<Int>)) == [0])
    #expect(matched(!["a"]) == [2, 4])
    #expect(matched(["a"] || ["ab"]) == [0, 1, 2, 3])
  }

  @Test("they are not observed, idle and successful; what a predicate says of them is not known")
  func states() {
    #expect(matched(.active) == [])
    #expect(matched(["a"] && !.active) == [0, 1, 3])
    #expect(matched(.fetching) == [])
    #expect(matched(["a"] && .where { _ in false }) == [0, 1, 3])
    #expect(matched(["a"] && !.where { _ in true }) == [0, 1, 3])
    #expect(matched(["a", 1] && .stale) == [1, 3])
  }

  @Test("a filter of keys says so")
  func isOfKeys() {
    #expect(RecordFilter(!["a"] || .key("b" as QueryKey<Int>)).isOfKeys)
    #expect(!RecordFilter(["a"] && .stale).isOfKeys)
    #expect(!RecordFilter(.where { _ in true }).isOfKeys)
  }
}
