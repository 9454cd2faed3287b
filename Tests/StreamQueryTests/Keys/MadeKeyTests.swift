import Testing

@testable import StreamQuery

/// Keys of queries are made without the array that other keys grow in; they are the same keys.
struct MadeKeyTests {
  private static let absent: Int? = nil

  /// Queries, and their keys written as lists.
  private static let pairs: [(Query<Int>, AnyQueryKey)] = [
    (Query("a") { 7 }, ["a"]),
    (Query(1) { 7 }, [1]),
    (Query(true) { 7 }, [true]),
    (Query(1.5) { 7 }, [1.5]),
    (Query(Float(1.5)) { 7 }, [Float(1.5)]),
    (Query(AnyQueryKeyPart("a")) { 7 }, ["a"]),
    (Query(absent) { 7 }, [nil]),
    (Query(AnyQueryKeyPart([1, 2])) { 7 }, [[1, 2]]),
    (Query(AnyQueryKeyPart([1, 2]), AnyQueryKeyPart("a")) { 7 }, [[1, 2], "a"]),
    (Query(KeyTuple2("a", 1)) { 7 }, ["a", 1]),
    (Query(UInt8(1)) { 7 }, [UInt8(1)]),
    (Query("a", fields: ["b": 1]) { 7 }, ["a", ["b": 1] as KeyRecord]),
    (Query("user", 7) { 7 }, ["user", 7]),
    (
      Query("a longer text than fits in a word", false) { 7 },
      [
        "a longer text than fits in a word", false,
      ]
    ),
    (Query(-0.0, Double.nan) { 7 }, [0.0, Double.nan]),
    (Query("a", absent) { 7 }, ["a", nil]),
    (Query(KeyTuple2("a", 1), 2) { 7 }, ["a", 1, 2]),
    (Query(UInt8(1), "a") { 7 }, [UInt8(1), "a"]),
    (Query("a", 1, fields: ["b": 1]) { 7 }, ["a", 1, ["b": 1] as KeyRecord]),
    (Query("a", 1, "b") { 7 }, ["a", 1, "b"]),
    (Query("a", 1, KeyTuple2("b", 2), absent) { 7 }, ["a", 1, "b", 2, nil]),
    (Query("a", 1, "b", fields: ["c": 1]) { 7 }, ["a", 1, "b", ["c": 1] as KeyRecord]),
  ]

  @Test(arguments: pairs.indices)
  func aQueryHasTheKeyThatIsWrittenAsAList(index: Int) {
    let (query, key) = Self.pairs[index]
    expectEqual(query.key.erased, key)
    expectEqual(query.key.erased.hashValue, key.hashValue)
    expectEqual(query.key.erased.count, key.count)
    expectEqual(query.key.description, QueryKey<Int>(key).description)
  }

  @Test("a key whose parts fill their array keeps no more room than one that was made with it")
  func room() {
    for count in 1...20 {
      let parts = (0..<count).map { KeyPart.int($0) }
      var roomy: [KeyPart] = []
      roomy.reserveCapacity(count + 1)
      roomy += parts
      expectEqual(KeyStorage(parts).capacity, KeyStorage(roomy).capacity)
    }
  }
}
