import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

/// Counts the allocations of operators on results, for one element.
///
/// The same results go through again and again, so that only the operator's own allocations count.
/// The cases `pass` let a result through, or leave it out: `Scripts/bench-guard.sh` allows them no
/// allocation at all, even if an earlier run has recorded some.
enum OperatorCases {
  static var all: [CountedCase] { passing + making }

  private static var passing: [CountedCase] {
    [
      counted("pass.base") { $0 },
      counted("pass.placeholder") { $0.placeholder(rows(0)) },
      counted("pass.placeholderMade") { $0.placeholder { previous, _ in previous } },
      counted("pass.keepPreviousData") { $0.keepPreviousData() },
      counted("pass.values") { $0.values() },
      counted("pass.settled") { $0.settled() },
      counted("pass.removeDuplicates") { $0.removeDuplicates() },
      counted("pass.removeDuplicatesByProperty") { $0.removeDuplicates(by: \.data?.first) },
      counted("pass.removeDuplicatesByClosure") {
        $0.removeDuplicates { $0.isFetching == $1.isFetching }
      },
      counted("pass.changes") { $0.changes(of: .fetchStatus, .error, .isStale) },
      counted("pass.changesOfData") { $0.changes(of: .data) },
      counted("pass.changesOfWideData", of: { recorded(TableRow(id: 1), TableRow(id: 2)) }) {
        $0.changes(of: .data)
      },
      counted("pass.throwing") { $0.throwing(when: .always) },
      counted("pass.throwingWhen") { $0.throwing { _ in false } },
      counted("pass.onSuccess") { $0.onSuccess { _ in } },
      counted("pass.onFailure") { $0.onFailure { _ in } },
      counted("pass.onChange") { $0.onChange { _ in } },
      counted("pass.scheduled") { $0.scheduled(by: Scheduling.current) },
      counted("pass.chain") {
        $0.keepPreviousData().removeDuplicates().changes(of: .data, .error).onChange { _ in }
          .throwing(when: .never)
      },
    ]
  }

  /// The cases of operators that make one object for each result, and a value from each new data.
  private static var making: [CountedCase] {
    [
      counted("make.select") { $0.select(\.first?.id) },
      counted("make.sharingUnchanged") { $0.sharingUnchanged() },
      counted("make.standIn", of: moving) { $0.keepPreviousData() },
    ]
  }

  private static func counted<Value, Results: AsyncSequence & Sendable>(
    _ name: String,
    of recorded: @escaping () -> [QueryResult<Value>],
    _ make: @escaping @Sendable (Replay<Value>) -> Results
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

  private static func counted<Results: AsyncSequence & Sendable>(
    _ name: String,
    _ make: @escaping @Sendable (Replay<[TableRow]>) -> Results
  ) -> CountedCase {
    counted(name, of: { recorded(rows(1), rows(2)) }, make)
  }

  /// Records the results of two values, each of them idle and during a refetch.
  private static func recorded<Value>(_ first: Value, _ second: Value) -> [QueryResult<Value>] {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let query = Query("value", fetch: ScriptedFetch(.value(first), .value(second)))
    let recording = simulation.record(client.results(of: query))
    simulation.settle()
    simulation.run { await client.invalidate(query) }
    return recording.values.filter { $0.data != nil }
  }

  /// Makes the result of a list, and the result of another key that loads.
  private static func moving() -> [QueryResult<[TableRow]>] {
    let client = QueryClient(simulation: Simulation())
    let cached = Query<[TableRow]>(key: "cached")
    client.setData(rows(1), for: cached)
    return [client.result(for: cached), client.result(for: Query<[TableRow]>(key: "other"))]
  }

  private static func rows(_ id: Int) -> [TableRow] { [TableRow(id: 0), TableRow(id: id)] }
}

/// A row that is too wide for an existential without an allocation.
private struct TableRow: Equatable, Identifiable, Sendable {
  var id: Int
  var name = "a row has several fields"
  var text = "and a name"
}

/// Gives the same results over and over, without a wait and without memory of its own.
private struct Replay<Value: Sendable>: AsyncSequence, Sendable {
  let results: [QueryResult<Value>]
  let length: Int

  struct Iterator: AsyncIteratorProtocol {
    let results: [QueryResult<Value>]
    let length: Int
    var position = 0

    mutating func next(isolation actor: isolated (any Actor)?) async -> QueryResult<Value>? {
      guard position < length else { return nil }
      defer { position += 1 }
      return results[position % results.count]
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(results: results, length: length) }
}
