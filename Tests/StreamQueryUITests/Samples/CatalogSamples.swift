import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// What a shop's list of products depends on.
private struct ProductFilters: Hashable, Sendable {
  var featured = false
  var minRating = 0.0
}

/// Stands for the request that a generator made: its type is a part of keys.
private enum FetchProducts {}

extension Query where Value == [Product] {
  fileprivate static func products(in category: Category, _ filters: ProductFilters) -> Self {
    Query("products", category, filters) { try await api.products(in: category, page: 1) }
  }

  fileprivate static func products(in category: Category, matching text: String) -> Self {
    Query(FetchProducts.self, category, text) { context in
      try await api.products(in: category, page: context.attempt + 1)
    }
  }
}

extension Query where Value == [User] {
  /// Nobody until the list is there.
  fileprivate static var usersOrNobody: Self { .users.placeholder([]) }
}

extension Query where Value == Int {
  /// A number that is written and never fetched.
  fileprivate static var count: Self { Query(key: "count").initialData(0) }
}

/// The keys of a shop's catalog, and lists that are named once and used by name.
@MainActor struct CatalogSamples {
  @Test("W01: a list by category and filters is invalidated with all products, or its category")
  func productsByCategoryAndFilters() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let best = ProductFilters(featured: true, minRating: 4.5)
      client.setData([Product(id: 1)], for: .products(in: .electronics, best))
      client.setData([Product(id: 2)], for: .products(in: .electronics, ProductFilters()))
      client.setData([Product(id: 3)], for: .products(in: .books, best))
      client.setData([Product(id: 4)], for: .products(in: .books, matching: "swift"))
      expectEqual(client.data(for: .products(in: .electronics, best)), [Product(id: 1)])
      expectEqual(client.diagnostics(.prefix("products")).count, 3)
      expectEqual(client.diagnostics(.prefix("products", Category.electronics)).count, 2)
      expectEqual(client.diagnostics(.prefix("products", Category.electronics, best)).count, 1)
      expectEqual(client.diagnostics(.prefix(AnyQueryKey(FetchProducts.self))).count, 1)
    }
  }

  @Test("W01: a prefix of two parts leaves other categories alone")
  func aCategoryIsInvalidated() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let filters = ProductFilters()
      client.setData([Product(id: 1)], for: .products(in: .electronics, filters))
      client.setData([Product(id: 3)], for: .products(in: .books, filters))
      await client.invalidate(.prefix("products", Category.electronics))
      expectEqual(client.diagnostics(.all).filter(\.isInvalidated).count, 1)
      await client.invalidate(.prefix("products"))
      expectEqual(client.diagnostics(.all).filter(\.isInvalidated).count, 2)
    }
  }

  @Test("K05: a key begins with a type, and the fetch gets a context")
  func aTypeBeginsTheKey() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let products = ObservedQuery(.products(in: .books, matching: "swift"), client: client)
      expect(products.isLoading && products.data == nil)
      simulation.settle()
      expect(!products.isLoading && products.data == [Product(id: 1)])
    }
  }

  @Test("K14: text, text with values, requests and lists of requests are keys")
  func keysInEveryForm() {
    let id = 42
    let search = Search(text: "engine")
    let part: any Hashable & Sendable = id
    let keys: [QueryKey<[Repo]>] = [
      "users", "user-\(id)", QueryKey(search), [search, search], ["users", part],
    ]
    expectEqual(Set(keys).count, 5)
    expect(Query(search).key == keys[2] && keys[4] == QueryKey("users", 42))
  }

  @Test("W01: users are named once, with nobody as the value until they are there")
  func usersWithAndWithoutDefault() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let users: ObservedQuery<[User]> = ObservedQuery(.users, client: client)
      let orNobody = ObservedQuery(.usersOrNobody, client: client)
      #expect(users.data == nil && client.data(for: .users) ?? [] == [])
      expect(orNobody.data == [] && orNobody.isPlaceholderData)
      simulation.settle()
      expect(users.data == [.ada] && orNobody.data == [.ada] && !orNobody.isPlaceholderData)
    }
  }

  @Test("W01: a count is written by one place and shown by another")
  func aCount() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let count = ObservedQuery(.count, client: client)
      expect(count.data == 0 && !count.isFetching)
      client.updateData(for: .count) { $0 = ($0 ?? 0) + 1 }
      simulation.settle()
      expect(count.data == 1 && client.data(for: .count) == 1)
    }
  }
}
