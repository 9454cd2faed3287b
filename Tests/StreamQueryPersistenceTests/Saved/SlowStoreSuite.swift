import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting

/// Tests of clients that keep their data in a ``SlowStore``.
protocol SlowStoreSuite {
  var simulation: Simulation { get }
  var store: SlowStore { get }
}

extension SlowStoreSuite {
  func client(
    _ change: @Sendable (inout Persistence) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) { [store] in
      var persistence = Persistence(in: store)
      change(&persistence)
      $0.persistence = persistence
    }
  }

  func key(_ number: Int) -> QueryKey<Int> { ["n", number] }

  /// The last part of each kept key, with the value.
  var kept: [String] {
    store.memory.load(.main).records.map {
      let parts = $0.key.split(separator: "/").last ?? ""
      return "\(parts) \(String(decoding: $0.value.dropFirst(12), as: UTF8.self))"
    }
  }
}
