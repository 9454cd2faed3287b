import Foundation
import StreamQuery
import Testing

@testable import StreamQuery

struct KeyTextTests {
  static let golden: [(AnyQueryKey, String)] = [
    ([], "[]"),
    (["user", 42, true, false, nil], #"["user",42,true,false,null]"#),
    ([Int.min], "[-9223372036854775808]"),
    (["a\"b\\c\n\r\t\u{1}\u{7f}/é"], #"["a\"b\\c\n\r\t\u0001\#u{7f}/é"]"#),
    (["e\u{301}"], "[\"\u{e9}\"]"),
    (
      AnyQueryKey("p", fields: ["page": 2, "category": "books"]),
      #"["p",{"category":"books","page":2}]"#
    ),
    (AnyQueryKey("p", fields: ["$a": 1, "$$": nil]), #"["p",{"$$$":null,"$$a":1}]"#),
    ([["a", "b"]], #"[["a","b"]]"#),
    ([1.5], #"[{"$Swift.Double":1.5}]"#),
    ([0.1], #"[{"$Swift.Double":0.1}]"#),
    ([-0.0], #"[{"$Swift.Double":0.0}]"#),
    ([1e300], #"[{"$Swift.Double":1e+300}]"#),
    ([Double.nan], #"[{"$Swift.Double":{"$real":"nan"}}]"#),
    ([-Double.infinity], #"[{"$Swift.Double":{"$real":"-inf"}}]"#),
    ([Float(0.1)], #"[{"$Swift.Float":0.1}]"#),
    ([Int64(1)], #"[{"$Swift.Int64":1}]"#),
    ([UInt64.max], #"[{"$Swift.UInt64":18446744073709551615}]"#),
    ([Int128.max], #"[{"$Swift.Int128":170141183460469231731687303715884105727}]"#),
    ([Character("a")], #"[{"$Swift.Character":"a"}]"#),
    (["abc".dropFirst()], #"[{"$Swift.Substring":"bc"}]"#),
    ([KeySample.Category.books], #"[{"$StreamQueryTests.KeySample.Category":"books"}]"#),
    ([KeySample.Size.large], #"[{"$StreamQueryTests.KeySample.Size":2}]"#),
    (AnyQueryKey(KeySample.User.self, 1), #"[{"$type":"StreamQueryTests.KeySample.User"},1]"#),
    (
      AnyQueryKey([KeySample.User].self),
      #"[{"$type":"Swift.Array<StreamQueryTests.KeySample.User>"}]"#
    ),
    (
      [KeySample.User(id: 1, name: "Ada")],
      #"[{"$StreamQueryTests.KeySample.User":{"id":1,"name":"Ada"}}]"#
    ),
    (
      [KeySample.Search(text: "x", categories: [.books, .electronics])],
      #"[{"$StreamQueryTests.KeySample.Search":{"categories":["books","electronics"],"page":1,"text":"x"}}]"#
    ),
    (
      [UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))],
      #"[{"$Foundation.UUID":"00010203-0405-0607-0809-0A0B0C0D0E0F"}]"#
    ),
    ([Date(timeIntervalSinceReferenceDate: 1.25)], #"[{"$Foundation.Date":1.25}]"#),
    (
      [URL(string: "https://a.example/b?c=d")],
      #"[{"$Foundation.URL":"https://a.example/b?c=d"}]"#
    ),
    (
      [URL(string: "b", relativeTo: URL(string: "https://a.example/"))],
      #"[{"$Foundation.URL":["b","https://a.example/"]}]"#
    ),
    ([Decimal(string: "1.50")], #"[{"$Foundation.Decimal":"1.5"}]"#),
    ([Decimal(100)], #"[{"$Foundation.Decimal":"100"}]"#),
    ([Data([1, 255])], #"[{"$Foundation.Data":[1,255]}]"#),
    ([1...3], #"[{"$Swift.ClosedRange<Swift.Int>":[1,3]}]"#),
    (
      [Set([[3, 1] as Set, [2], []])],
      #"[{"$Swift.Set<Swift.Set<Swift.Int>>":[[1,3],[2],[]]}]"#
    ),
    (
      [[2: "b", 1: "a"]],
      #"[{"$Swift.Dictionary<Swift.Int, Swift.String>":[[1,"a"],[2,"b"]]}]"#
    ),
    (
      [KeySample.Nested()],
      #"[{"$StreamQueryTests.KeySample.Nested":{"deep":{"list":[1,[2,null],{"x":0.5}]},"super":{"id":1,"name":"Ada"},"table":{"$$a":[1],"b":[]}}}]"#
    ),
    ([KeySample.Nothing()], #"[{"$StreamQueryTests.KeySample.Nothing":{}}]"#),
  ]

  @Test func textIsTheSameOnEveryLaunchAndPlatform() throws {  // K04, K15, T01
    for (key, text) in Self.golden {
      try expectEqual(key.canonicalText(), text)
    }
  }

  @Test func textsAreEqualExactlyWhenKeysAre() throws {
    var keys = Self.golden.map(\.0)
    keys += KeyEqualityTests.distinct.filter { (try? $0.canonicalText()) != nil }
    for left in keys {
      for right in keys {
        let texts = (try left.canonicalText(), try right.canonicalText())
        expectEqual(texts.0 == texts.1, left == right, "\(texts)")
      }
    }
  }

  @Test func setsAndDictionariesAreSortedWhateverTheirCapacity() throws {
    var grown = Set<String>(minimumCapacity: 1000)
    let words = (0..<50).map { "word\($0)" }
    for word in words.reversed() { grown.insert(word) }
    let left = try AnyQueryKey(grown).canonicalText()
    expectEqual(left, try AnyQueryKey(Set(words)).canonicalText())
    expectEqual(AnyQueryKey(grown).description, AnyQueryKey(Set(words)).description)
  }

  @Test func queryKeyTextNamesTheValueType() throws {
    let key = QueryKey<[KeySample.User]>("users", 1)
    try expectEqual(
      key.canonicalText(),
      #"Swift.Array<StreamQueryTests.KeySample.User>["users",1]"#
    )
    try expectEqual(EntryKey(key).canonicalText(), try key.canonicalText())
  }

  @Test func unencodablePartIsAClearError() {
    let error = #expect(throws: KeyEncodingError.self) {
      try AnyQueryKey("a", KeySample.Filter.all).canonicalText()
    }
    expectEqual(
      error,
      KeyEncodingError(
        part: 1,
        typeName: "StreamQueryTests.KeySample.Filter",
        reason: .notEncodable
      )
    )
    expectEqual(
      error?.description.contains("part 1 of the key is of type StreamQueryTests.KeySample.Filter"),
      true
    )
  }

  @Test func privateAndLocalTypesAreAClearError() {
    struct Local: Hashable, Codable, Sendable {}
    for key in [AnyQueryKey("a", Local()), AnyQueryKey("a", Hidden()), AnyQueryKey("a", [Local()])]
    {
      let error = #expect(throws: KeyEncodingError.self) { try key.canonicalText() }
      expectEqual(error?.part, 1)
      expectEqual(error?.reason, .unstableTypeName)
    }
    let error = #expect(throws: KeyEncodingError.self) {
      try QueryKey<Local>("a").canonicalText()
    }
    expectNil(error?.part)
    expectEqual(error?.reason, .unstableTypeName)
    #expect(throws: KeyEncodingError.self) { try AnyQueryKey(Hidden.self).canonicalText() }
  }

  @Test func throwingPartIsAClearError() {
    let error = #expect(throws: KeyEncodingError.self) {
      try AnyQueryKey(KeySample.Throwing()).canonicalText()
    }
    expectEqual(error?.reason, .failed("Refused()"))
  }

  @Test func descriptionIsShortAndNeverInHashOrder() {
    let key = QueryKey<KeySample.User>(
      KeySample.User.self,
      "a",
      1,
      nil as Int?,
      KeySample.Filter.range(min: 1, max: 2),
      KeySample.Filter.all,
      KeySample.Filter.tag("x"),
      Set([3, 1, 2]),
      [2: Set(["b", "a"])],
      KeySample.User(id: 1, name: "Ada"),
      fields: ["z": [1.5], "a": true]
    )
    expectEqual(
      key.description,
      """
      [User.self, "a", 1, nil, range(min: 1, max: 2), all, tag("x"), {1, 2, 3}, \
      [2: {"a", "b"}], User(id: 1, name: "Ada"), {a: true, z: [1.5]}] as User
      """
    )
  }
}

private struct Hidden: Hashable, Codable, Sendable {}

extension KeySample {
  struct Refused: Error {}

  struct Throwing: Hashable, Encodable, Sendable {
    func encode(to encoder: any Encoder) throws {
      throw Refused()
    }
  }

  struct Nothing: Hashable, Encodable, Sendable {
    func encode(to encoder: any Encoder) {}
  }

  /// Uses every kind of container.
  struct Nested: Hashable, Encodable, Sendable {
    enum Keys: String, CodingKey {
      case deep
      case list
      case x
      case table
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(["$a": [1] as Set, "b": []], forKey: .table)
      var deep = container.nestedContainer(keyedBy: Keys.self, forKey: .deep)
      var list = deep.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      var inner = list.nestedUnkeyedContainer()
      try inner.encode(2)
      try inner.encodeNil()
      var record = list.superEncoder().container(keyedBy: Keys.self)
      try record.encode(0.5, forKey: .x)
      try KeySample.User(id: 1, name: "Ada").encode(to: container.superEncoder())
    }
  }
}
