import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

/// What operators on results allocate for one element.
///
/// The same results go through again and again, so that all that is counted is the operator's:
/// one that lets a result through, or leaves it out, must count 0.
enum OperatorCases {
  static var all: [CountedCase] {
    [
      counted("base") { $0 },
      counted("placeholder") { $0.placeholder([0]) },
      counted("keepPreviousData") { $0.keepPreviousData() },
      counted("sharingUnchanged") { $0.sharingUnchanged() },
      counted("values") { $0.values() },
      counted("settled") { $0.settled() },
      counted("removeDuplicates") { $0.removeDuplicates() },
      counted("changes") { $0.changes(of: .fetchStatus, .error, .isStale) },
      counted("throwing") { $0.throwing(when: .always) },
      counted("onSuccess") { $0.onSuccess { _ in } },
      counted("onFailure") { $0.onFailure { _ in } },
      counted("onChange") { $0.onChange { _ in } },
      // One object for each result, and one for each new selection.
      counted("select") { $0.select(\.count) },
    ]
  }

  private static func counted<Results: AsyncSequence & Sendable>(
    _ name: String,
    _ make: @escaping @Sendable (Replay) -> Results
  ) -> CountedCase {
    CountedCase(id: "operator." + name, iterations: 10_000) {
      let simulation = Simulation()
      let recorded = recorded()
      return { iterations in
        let results = make(Replay(results: recorded, length: iterations))
        simulation.run {
          var iterator = results.makeAsyncIterator()
          while let element = try? await iterator.next(isolation: nil) { blackHole(element) }
        }
      }
    }
  }

  /// Two lists, each at rest and being fetched again.
  private static func recorded() -> [QueryResult<[Int]>] {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let query = Query("list", fetch: ScriptedFetch(.value([1]), .value([2])))
    let recording = simulation.record(client.results(of: query))
    simulation.settle()
    simulation.run { await client.invalidate(query) }
    return recording.values.filter { $0.data != nil }
  }
}

/// Gives the same results over and over, without a wait and without memory of its own.
private struct Replay: AsyncSequence, Sendable {
  let results: [QueryResult<[Int]>]
  let length: Int

  struct Iterator: AsyncIteratorProtocol {
    let results: [QueryResult<[Int]>]
    let length: Int
    var position = 0

    mutating func next(isolation actor: isolated (any Actor)?) async -> QueryResult<[Int]>? {
      guard position < length else { return nil }
      defer { position += 1 }
      return results[position % results.count]
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(results: results, length: length) }
}
