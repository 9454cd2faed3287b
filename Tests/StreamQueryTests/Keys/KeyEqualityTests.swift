import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

struct KeyEqualityTests {
  /// K01: parts that must differ pairwise, and each of which must equal a copy of itself.
  static let distinct: [AnyQueryKey] = [
    [],
    [nil],
    [""],
    ["1"],
    [1],
    [true],
    [false],
    [0],
    [1.0],
    [Float(1)],
    [Int64(1)],
    [Int8(1)],
    [UInt(1)],
    [1, 1],
    ["a", "b"],
    ["b", "a"],
    ["ab"],
    [["a", "b"]],
    [["b", "a"]],
    [[1, 1]],
    [[Int64(1), Int64(1)]],
    [Set([1])],
    [Character("1")],
    ["1"[...] as Substring],
    [KeySample.Category.books],
    ["books"],
    [KeySample.Size.small],
    [KeySample.Filter.all],
    [KeySample.Filter.tag("a")],
    [KeySample.Filter.tag("b")],
    [KeySample.Filter.range(min: 1, max: 2)],
    [KeySample.User(id: 1, name: "Ada")],
    [KeySample.User(id: 1, name: "Bob")],
    [["a": 1] as KeyRecord],
    [["a": "1"] as KeyRecord],
    [["a": 1, "b": 2] as KeyRecord],
    [["a": nil] as KeyRecord],
    [[:] as KeyRecord],
    [[1: "a"]],
    AnyQueryKey(KeySample.User.self),
    AnyQueryKey(KeySample.Shop.User.self),
    ["StreamQueryTests.KeySample.User"],
    ["User"],
    [Date(timeIntervalSinceReferenceDate: 1)],
    [Decimal(1)],
    [KeySample.Colliding(id: 1)],
    [KeySample.Colliding(id: 2)],
    [-1],
    [Double.infinity],
    [Double.nan],
  ]

  @Test func differentPartsAreDifferentKeys() {
    for (index, left) in Self.distinct.enumerated() {
      for (other, right) in Self.distinct.enumerated() {
        expectEqual(left == right, index == other, "\(left) and \(right)")
      }
    }
  }

  @Test func equalPartsMakeEqualKeysWithEqualHashes() {
    let user = KeySample.User(id: 1, name: "Ada")
    let pairs: [(AnyQueryKey, AnyQueryKey)] = [
      (AnyQueryKey("user", 1, true), ["user", 1, true]),
      ("user", ["user"]),
      (AnyQueryKey(user), [user]),
      ([Double.nan], [-Double.nan]),
      ([-0.0], [0.0]),
      ([Float.nan, -Float.zero], [Float.nan, Float.zero]),
      ([[Double.nan]], [[Double.nan]]),
      ([Int?.some(1)], [1]),
      (AnyQueryKey(Int?.none), [String?.none]),
      (AnyQueryKey(Int??.some(.some(1))), [1]),
      (AnyQueryKey([Int?.some(1), nil]), [[1, nil] as [Int?]]),
      ([AnyQueryKeyPart("a"), AnyQueryKeyPart(1)], ["a", 1]),
      ([AnyQueryKeyPart(KeySample.User.self)], AnyQueryKey(KeySample.User.self)),
      ([[AnyQueryKeyPart("a"), AnyQueryKeyPart("b")]], [["a", "b"]]),
      (["e\u{301}"], ["\u{e9}"]),
      ([KeySample.Colliding(id: 7)], [KeySample.Colliding(id: 7)]),
    ]
    for (left, right) in pairs {
      expectEqual(left, right)
      expectEqual(left.hashValue, right.hashValue)
    }
  }

  @Test func sameHashNeverMakesKeysEqual() {
    let left = QueryKey<Int>("x", KeySample.Colliding(id: 1))
    let right = QueryKey<Int>("x", KeySample.Colliding(id: 2))
    expectEqual(left.hashValue, right.hashValue)
    expect(left != right)
    expectEqual([left: 1, right: 2].count, 2)
  }

  @Test func orderOfRecordFieldsMeansNothing() {
    let left = QueryKey<Int>("products", fields: ["category": "books", "page": 2])
    let right = QueryKey<Int>("products", fields: ["page": 2, "category": "books"])
    expectEqual(left, right)
    expectEqual(left.hashValue, right.hashValue)
    expectEqual(left, QueryKey<Int>("products", ["page": 2, "category": "books"] as KeyRecord))
    expectEqual(left, QueryKey<Int>("products", KeyRecord(["page": 2, "category": "books"])))
  }

  @Test func orderOfItemsMatters() {
    expect(AnyQueryKey("a", "b") != AnyQueryKey("b", "a"))
    expect(AnyQueryKey([1, 2]) != AnyQueryKey([2, 1]))
  }

  @Test func repeatedFieldKeepsTheLastValue() {
    let record = KeyRecord(dictionaryLiteral: ("a", 1), ("b", 2), ("a", 3))
    expectEqual(record, ["b": 2, "a": 3])
    expect(record != ["b": 2, "a": 1])
  }

  @Test func emptyFieldsAddNoPart() {
    expectEqual(QueryKey<Int>("a", fields: [:]), QueryKey<Int>("a"))
    expectEqual(AnyQueryKey("a", fields: [:]).count, 1)
  }

  @Test func stringDictionaryIsARecord() {
    expectEqual(AnyQueryKey("a", ["x": 1, "y": 2]), AnyQueryKey("a", fields: ["x": 1, "y": 2]))
    expectEqual(AnyQueryKey("a", ["x": nil as Int?]), AnyQueryKey("a", fields: ["x": nil]))
  }

  @Test func metatypeKnowsItsModuleAndIsNoString() {
    expectEqual(
      QueryKey<KeySample.User>(KeySample.User.self, 1),
      QueryKey<KeySample.User>(KeySample.User.self, 1)
    )
    expect(
      QueryKey<KeySample.User>(KeySample.User.self, 1)
        != QueryKey<KeySample.User>(KeySample.Shop.User.self, 1)
    )
    expect(
      QueryKey<KeySample.User>(KeySample.User.self, 1)
        != QueryKey<KeySample.User>(String(reflecting: KeySample.User.self), 1)
    )
    expectEqual(AnyQueryKey(KeySample.User.self, 1).count, 2)
  }

  @Test func sameNamedTypesOfTwoModulesNeverCollide() throws {  // K03, K06
    let (ours, theirs) = (SimulationError.self, StreamQueryTesting.SimulationError.self)
    expectEqual("\(ours)", "\(theirs)")
    expect(AnyQueryKey(ours, 1) != AnyQueryKey(theirs, 1))
    expect(KeyTuple2(ours, 1) != KeyTuple2(theirs, 1))
    try expectEqual(
      AnyQueryKey(ours, 1).canonicalText(),
      #"[{"$type":"StreamQueryTests.SimulationError"},1]"#
    )
    try expectEqual(
      AnyQueryKey(theirs, 1).canonicalText(),
      #"[{"$type":"StreamQueryTesting.SimulationError"},1]"#
    )
    let texts = (
      try QueryKey<SimulationError>("a").canonicalText(),
      try QueryKey<StreamQueryTesting.SimulationError>("a").canonicalText()
    )
    expect(texts.0 != texts.1)
    let client = QueryClient()
    client.setData(SimulationError(), for: QueryKey("a"))
    expectNil(client.data(for: QueryKey<StreamQueryTesting.SimulationError>("a")))
    expect(client.data(for: QueryKey<SimulationError>("a")) != nil)
  }

  @Test func keyAsPartContributesItsParts() {
    let project = QueryKey<KeySample.User>("project", 7)
    expectEqual(
      QueryKey<[KeySample.User]>(project, "issues"),
      QueryKey<[KeySample.User]>("project", 7, "issues")
    )
    expectEqual(AnyQueryKey(project), project.erased)
    expectEqual([project, "issues"] as AnyQueryKey, ["project", 7, "issues"])
    expectEqual(AnyQueryKey(Optional(project.erased), 1), ["project", 7, 1])
    expectEqual(AnyQueryKey("x", fields: ["of": project]), ["x", ["of": AnyQueryKeyPart(project)]])
  }

  @Test func optedInValueContributesItsParts() {  // X33
    expectEqual(
      QueryKey<KeySample.User>(KeySample.Route.user(42)),
      QueryKey<KeySample.User>("users", 42)
    )
    expectEqual(AnyQueryKey("v1", KeySample.Route.user(42), true), ["v1", "users", 42, true])
    expect(AnyQueryKey(KeySample.Route.users).isPrefix(of: AnyQueryKey(KeySample.Route.user(42))))
    expectEqual(AnyQueryKey(KeySample.Filter.tag("a")).count, 1)
  }

  @Test func literalsInterpolateAndMayBeEmpty() {
    let id = 42
    let key: QueryKey<KeySample.User> = "user/\(id)"
    expectEqual(key, QueryKey<KeySample.User>("user/42"))
    expectEqual([] as QueryKey<KeySample.User>, QueryKey<KeySample.User>())
    expect(QueryKey<KeySample.User>().erased.isEmpty)
  }

  @Test func anyPartIsOpenedToItsDynamicType() {
    let parts: [any Hashable & Sendable] = ["a", 1, KeySample.Category.books, UUID?.none]
    expectEqual(
      [parts[0], parts[1], parts[2], parts[3]] as AnyQueryKey,
      [
        "a", 1, KeySample.Category.books, nil,
      ]
    )
  }

  @available(*, deprecated, message: "tests a deprecated member")
  @Test func bracketedArrayGivesItsElements() {
    let ids = ["user", "42"]
    expectEqual(QueryKey<KeySample.User>(ids), QueryKey<KeySample.User>("user", "42"))
  }
}

/// Named like a type of another module.
struct SimulationError: Hashable, Sendable {}
