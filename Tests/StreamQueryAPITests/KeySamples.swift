import Foundation
import StreamQuery
import Testing

/// Spellings of keys that must compile, and mean what they say.
struct KeySamples {
  @Test func keysHaveAnyNumberOfParts() {
    let key = QueryKey<[Product]>("products", Category.electronics, true)
    let long = QueryKey<User>("a", 1, "b", 2, "c", 3, "d", 4, "e", 5, true, 1.5)
    expectEqual(key.erased.count, 3)
    expectEqual(long.erased.count, 12)
    expect(QueryKey<User>().erased.isEmpty)
  }

  @Test func aFetchGetsTheInputsOfItsKey() async throws {
    let api = API.live
    let client = QueryClient()
    let user = Query("users", for: 7, fetch: api.user(_:))
    let books = Query("products", for: Category.books, 2) { category, page in
      try await api.products(in: category, page: page)
    }
    let list = Query("lists", for: "a", 1, true) { context, name, count, isLong in
      "\(name) \(count) \(isLong) \(context.key)"
    }
    expectEqual(user.key, QueryKey("users", 7))
    expectEqual(books.key, QueryKey("products", Category.books, 2))
    try await expectEqual(client.fetch(user).id, 7)
    try await expectEqual(client.fetch(books), [Product(id: 2)])
    try await expectEqual(client.fetch(list), #"a 1 true ["lists", "a", 1, true]"#)
  }

  @Test func aTypeMayBeTheFirstPart() {
    func key<Value: Sendable>(of type: Value.Type) -> QueryKey<Value> { QueryKey(type, 1) }
    let byType = QueryKey<Product>(Product.self, 123)
    expect(byType != QueryKey<Product>("Product", 123))
    expectEqual(key(of: User.self), QueryKey<User>(User.self, 1))
    expect(QueryKey<[User]>([User].self, 1) != QueryKey<[User]>(User.self, 1))
    expectEqual(QueryKey<User>((any Error).self, 1).erased.count, 2)
  }

  @Test func literalsAreKeys() {
    let id = 42
    let text: QueryKey<[User]> = "users"
    let list: QueryKey<[User]> = ["users"]
    let mixed: QueryKey<User> = ["users", id, Category.books, true, 1.5, nil, "x/\(id)"]
    let nested: QueryKey<User> = ["users", [1, 2, 3]]
    let empty: QueryKey<User> = []
    expectEqual(text, list)
    expectEqual(mixed.erased.count, 7)
    expectEqual(nested, QueryKey("users", [1, 2, 3]))
    expectEqual(empty, QueryKey())
    expectEqual(QueryKey<User>("user/\(id)"), "user/42")
  }

  @Test func keysAreNamedInExtensions() {
    let users: QueryKey<[User]> = .users
    expectEqual(users, "users")
    expectEqual(QueryKey<[User]>.users(in: 3), ["users", "team", 3])
  }

  @Test func recordsHaveNoOrder() {
    let sort: String? = nil
    let key = QueryKey<[Product]>("products", fields: ["category": "books", "page": 2])
    let other = QueryKey<[Product]>("products", fields: ["page": 2, "category": "books"])
    let values = QueryKey<[Product]>(
      Product.self,
      fields: ["category": Category.books, "page": 2, "sort": sort, "x": nil]
    )
    let literal: QueryKey<[Product]> = ["products", ["category": "books", "page": 2] as KeyRecord]
    let named: [String: any Hashable & Sendable] = ["category": "books", "page": 2]
    expectEqual(key, other)
    expectEqual(key, literal)
    expectEqual(key, QueryKey("products", fields: KeyRecord(named)))
    expectEqual(values.erased.count, 2)
  }

  @Test func partsAreOfAnyHashableType() {
    enum Filter: Hashable { case all, range(min: Int, max: Int) }
    let id: Int? = 3
    let existential: any Hashable & Sendable = 5
    let key = QueryKey<User>(
      "users",
      Category.books,
      UUID(),
      Date(),
      Route.detail(3),
      Set([1, 2]),
      [[1], [2]],
      ["a": [1, 2]],
      Filter.range(min: 1, max: 2),
      -1,
      1...3,
      Character("a"),
      id,
      Int?.none,
      Substring("x"),
      Locale(identifier: "en"),
      URL(string: "https://example.com"),
      Decimal(3)
    )
    expectEqual(key.erased.count, 18)
    #expect(["users", existential] as QueryKey<User> == ["users", 5])
    expectEqual(QueryKey<User>("users", id), QueryKey<User>("users", 3))
  }

  @Test func expressionsArePartsOfKeys() {
    let (number, text) = (3, "s")
    let key = QueryKey<User>("a", number + 1, text + "/" + text)
    let other = QueryKey<User>("a", number > 3 && text.isEmpty, text.count * 2 + number)
    let literal: QueryKey<User> = [
      "a", number, "b", text, "c", number + 1, text + "x", -number, !true, 1...3, "z", 20,
    ]
    expectEqual(key, ["a", 4, "s/s"])
    expectEqual(other, ["a", false, 5])
    expectEqual(literal.erased.count, 12)
  }

  @Test func tuplesRequestsAndKeysContributeTheirParts() {
    let products: KeyTuple3 = KeyTuple3("products", Category.electronics, true)
    expectEqual(QueryKey<[Product]>(products), QueryKey("products", Category.electronics, true))
    expectEqual(KeyTuple2("a", 123).key2, 123)
    #expect(KeyTuple2(Product.self, 123).key1.hasSuffix("Product"))
    expectEqual(QueryKey<[Repo]>(Search(text: "a")), Query(Search(text: "a")).key)
    expectEqual(QueryKey<[Repo]>(QueryKey<User>("a"), 1), ["a", 1])
  }

  @Test func keysOfOtherValueTypesAreOtherKeys() {
    expectEqual(EntryCount().after(QueryKey<Int>("a"), QueryKey<String>("a")), 2)
  }

  @Test func aPrefixMatchesLeadingParts() {
    let project: AnyQueryKey = ["project", 7]
    expect(project.isPrefix(of: ["project", 7, "issues", "open"]))
    expect(!project.isPrefix(of: ["project", 8, "issues", "open"]))
    expect(
      AnyQueryKey("products", fields: ["page": 2]).isPrefix(
        of: QueryKey<[Product]>("products", fields: ["page": 2, "sort": "asc"])
      )
    )
  }

  @Test func aTypeMayStandForSeveralParts() {
    enum Place: KeyPartsConvertible {
      case users, user(Int)

      var keyParts: AnyQueryKey {
        switch self {
        case .users: ["users"]
        case .user(let id): ["users", id]
        }
      }
    }
    expectEqual(QueryKey<User>(Place.user(42)), QueryKey<User>("users", 42))
    expect(QueryKey<User>(Place.users).erased.isPrefix(of: QueryKey<User>(Place.user(42))))
  }
}

extension KeySamples {
  @Test func equalHashesAreAMistakeThatSaysWhatToDo() {
    let misuse = QueryMisuse.equalHashes(key: "[1]", count: 65)
    #expect(misuse.description.hasPrefix("65 keys, [1] among them, have one hash"))
  }
}

/// How many entries a client has after writes.
private struct EntryCount {
  func after(_ number: QueryKey<Int>, _ text: QueryKey<String>) -> Int {
    let client = QueryClient()
    client.setData(1, for: number)
    client.setData("1", for: text)
    return client.diagnostics().count
  }
}
