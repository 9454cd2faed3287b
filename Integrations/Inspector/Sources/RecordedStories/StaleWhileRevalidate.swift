import StreamQuery
import StreamQueryTesting

/// A product of the shop.
struct Product: Codable, Hashable, Sendable {
  var id: Int
  var name: String
  var cents: Int
}

/// The query of a product, which becomes more expensive each minute.
private func product(_ id: Int, at clock: SimulationClock) -> Query<Product> {
  Query("product", id) {
    try await answered(after: id == 1 ? 0.4 : 0.7)
    let minutes = Int(clock.now.offset / .seconds(60))
    return Product(
      id: id,
      name: ["Kettle", "Teapot", "Cup"][id % 3],
      cents: 1_000 * id + 50 * minutes
    )
  }
  .staleTime(.seconds(30))
  .gcTime(.minutes(2))
}

extension RecordedStory {
  /// A visitor opens products, comes back soon and late, and leaves the app for a while.
  static let staleWhileRevalidate = RecordedStory(name: "stale-while-revalidate") {
    let stage = Stage(seed: 1)
    let client = stage.client { $0.defaults.retry = 1 }
    let clock = stage.simulation.clock
    @Sendable func query(_ id: Int) -> Query<Product> { product(id, at: clock) }
    let list = Query("products") {
      try await answered(after: 0.5)
      return [1, 2, 3]
    }
    let products = stage.watch(
      list.staleTime(.minutes(1)).refetchInterval(.seconds(45)),
      in: client
    )
    stage.wait(2)
    // The visitor opens a product for the first time. There is no data yet, so the visitor waits.
    var first = stage.watch(query(1), in: client)
    stage.wait(6)
    first.cancel()
    // Another product is prefetched before the visitor opens it.
    stage.simulation.task { await client.prefetch(query(2)) }
    stage.wait(3)
    let second = stage.watch(query(2), in: client)
    stage.wait(5)
    // The visitor is back within half a minute: the data is fresh, so it is shown and not fetched.
    first = stage.watch(query(1), in: client)
    stage.wait(8)
    first.cancel()
    stage.wait(40)
    // The visitor is back later: the stale data is shown at once, and fetched again.
    first = stage.watch(query(1), in: client)
    stage.wait(5)
    second.cancel()
    // Somebody changes the price.
    client.markInvalidated(.prefix("product"))
    stage.wait(10)
    first.cancel()
    // Nobody observes the product any more: after two minutes its entry is gone.
    stage.wait(130)
    first = stage.watch(query(1), in: client)
    stage.wait(5)
    let record = client.record
    first.cancel()
    products.cancel()
    return record
  }
}
