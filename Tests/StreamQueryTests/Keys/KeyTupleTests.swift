import Foundation
import StreamQuery
import Testing

struct KeyTupleTests {
  @Test func tupleMakesTheKeyOfItsParts() {  // K02
    expectEqual(
      QueryKey<Int>(KeyTuple3("products", KeySample.Category.electronics, true)),
      QueryKey<Int>("products", KeySample.Category.electronics, true)
    )
    expectEqual(AnyQueryKey(KeyTuple2("a", 1)), ["a", 1])
    expectEqual(AnyQueryKey(KeyTuple4("a", 1, 2, 3)), ["a", 1, 2, 3])
    expectEqual(AnyQueryKey(KeyTuple5("a", 1, 2, 3, 4)), ["a", 1, 2, 3, 4])
    expectEqual(AnyQueryKey(KeyTuple6("a", 1, 2, 3, 4, true)), ["a", 1, 2, 3, 4, true])
  }

  @Test func fieldsAreNumbered() {
    let tuple = KeyTuple6("a", 1, 2.5, true, KeySample.Category.books, "z")
    expectEqual(tuple.key1, "a")
    expectEqual(tuple.key2, 1)
    expectEqual(tuple.key3, 2.5)
    expect(tuple.key4)
    expectEqual(tuple.key5, .books)
    expectEqual(tuple.key6, "z")
  }

  @Test func metatypeBecomesANameWithItsModule() {  // K03
    let tuple: KeyTuple2<String, Int> = .init(KeySample.User.self, 123)
    expectEqual(tuple.key1, "StreamQueryTests.KeySample.User")
    expect(tuple != KeyTuple2(KeySample.Shop.User.self, 123))
    expectEqual(KeyTuple3(KeySample.User.self, 1, 2).key1, tuple.key1)
    expectEqual(KeyTuple4(KeySample.User.self, 1, 2, 3).key1, tuple.key1)
    expectEqual(KeyTuple5(KeySample.User.self, 1, 2, 3, 4).key1, tuple.key1)
    expectEqual(KeyTuple6(KeySample.User.self, 1, 2, 3, 4, 5).key1, tuple.key1)
  }

  @Test func metatypeWithoutAStableNameIsAClearError() throws {  // K03
    struct Local: Sendable {}
    let tuples: [any KeyPartsConvertible] = [
      KeyTuple2(Local.self, 1), KeyTuple3(Hidden.self, 1, 2), KeyTuple4(Local.self, 1, 2, 3),
      KeyTuple5(Hidden.self, 1, 2, 3, 4), KeyTuple6(Local.self, 1, 2, 3, 4, 5),
    ]
    for tuple in tuples {
      let error = #expect(throws: KeyEncodingError.self) { try tuple.canonicalText() }
      expectEqual(error?.part, 0)
      expectEqual(error?.reason, .unstableTypeName)
      expectEqual(error?.typeName.hasPrefix("StreamQueryTests."), true)
    }
    // Cached like any other, and no other type's.
    let client = QueryClient()
    client.setData(1, for: QueryKey<Int>(KeyTuple2(Local.self, 1)))
    expectEqual(client.data(for: QueryKey<Int>(KeyTuple2(Local.self, 1))), 1)
    expectNil(client.data(for: QueryKey<Int>(KeyTuple2(Hidden.self, 1))))
    expect(
      AnyQueryKey(KeyTuple2(Local.self, 1)).isPrefix(of: AnyQueryKey(KeyTuple3(Local.self, 1, 2)))
    )
    // Words that only look alike are text.
    try expectEqual(AnyQueryKey("(unknown context)").canonicalText(), #"["(unknown context)"]"#)
  }

  @Test func tupleSurvivesCoding() throws {
    let tuple = KeyTuple3("products", KeySample.Category.electronics, true)
    let data = try JSONEncoder().encode(tuple)
    try expectEqual(JSONDecoder().decode(type(of: tuple), from: data), tuple)
  }

  @Test func tupleHasCanonicalText() throws {  // K04
    try expectEqual(KeyTuple3("products", 1, true).canonicalText(), #"["products",1,true]"#)
  }
}

private struct Hidden: Sendable {}
