@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct ValuesTests {
  private func expect(
    _ expected: String,
    of input: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectDiagram(expected, seeds: 0..<4, sourceLocation: sourceLocation) {
      $0.results(input).values()
    }
  }

  @Test func givesEachNewDataOnceO14() {
    expect("--x---y|", of: "p-x(x*)(x=)-y|")
  }

  @Test func equalDataThatCameAnewIsLeftOut() {
    expect("x---y-x|", of: "x-(x')-y-x|")
    expect("x-----y|", of: "x-p-(x')-y|")
  }

  @Test func equalDataThatCameAnewIsGivenOnRequest() {
    expectDiagram("x-x----|", seeds: 0..<4) {
      $0.results("x-(x')-(x'*)-p|").values(removingDuplicates: false)
    }
  }

  @Test func aFetchThatBringsTheSameAgainIsGivenOnRequestAlone() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(1, after: .seconds(1))))
    let distinct = simulation.record(client.stream(query).values())
    let every = simulation.record(client.stream(query).values(removingDuplicates: false))
    for _ in 0..<3 {
      simulation.advance(by: .seconds(2))
      simulation.task("again") { await client.invalidate(query) }
    }
    simulation.advance(by: .milliseconds(500))
    #expect(distinct.values == [1])
    #expect(every.values == [1, 1, 1])
  }

  @Test func aFetchWithoutASelectionGivesNotTheLastOneAgain() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query<String>(key: "price")
    let prices = client.stream(query).select { text throws -> Int in
      guard let price = Int(text) else { throw SampleError(name: text) }
      return price
    }
    let every = simulation.record(prices.values(removingDuplicates: false))
    for text in ["1", "?", "1", "2"] {
      client.setData(text, for: query)
      simulation.settle()
    }
    #expect(every.values == [1, 1, 2])
  }

  private struct Opaque: Sendable {
    var n: Int
  }

  @Test func dataThatCannotBeComparedIsNewWithEachWrite() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query<Opaque>(key: "opaque")
    let values = simulation.record(client.stream(query).values())
    for n in [1, 1, 2] {
      client.setData(Opaque(n: n), for: query)
      simulation.settle()
    }
    #expect(values.values.map(\.n) == [1, 1, 2])
  }

  @Test func dataThatCannotBeComparedIsNewWithEachFetch() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    // The last step of a script repeats, and each call brings a value of its own, as a server's answer is.
    let fetch = ScriptedFetch(.value(Opaque(n: 1), after: .seconds(1)))
    let query = Query("opaque", fetch: fetch)
    let values = simulation.record(client.stream(query).values())
    let changes = simulation.record(client.stream(query).changes(of: .data))
    for _ in 0..<3 {
      simulation.advance(by: .seconds(2))
      simulation.task("again") { await client.invalidate(query) }
    }
    simulation.advance(by: .milliseconds(500))
    #expect(values.values.map(\.n) == [1, 1, 1])
    #expect(changes.values.map { $0.data?.n } == [nil, 1, 1, 1])
  }

  /// The values of any stream of results, by code that does not know that they can be compared.
  private func values<Results: AsyncSequence & Sendable, Value>(
    of results: Results
  ) -> some AsyncSequence<Value, Results.Failure> & Sendable
  where Results.Element == QueryResult<Value> {
    results.values()
  }

  @Test func aGenericCallSiteLeavesOutTheSame() {
    expectDiagram("x---y|", seeds: 0..<4) { values(of: $0.results("x-(x')-y|")) }
  }

  @Test func errorsAndPlaceholdersAreLeftOut() {
    expect("----y|", of: "(!)-(s~)-(2:y)|")
  }

  @Test func dataBesideAnErrorCountsOnce() {
    expect("x---y|", of: "(x!)-x-(y!)|")
  }

  @Test func dataThatWasKeptIsNotGivenAgain() {
    expectDiagram("x---y|", seeds: 0..<4) {
      $0.results("x-(2:p*)-(2:y)|").keepPreviousData().values()
    }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.values() }
    expectEndsPassThrough("x", "x'") { $0.values(removingDuplicates: false) }
  }

  @Test func worksOnSequencesThatAreNotSendable() async throws {
    let results = Local(["p", "x", "x*", "y"])
    var values: [String] = []
    for try await value in results.values() { values.append(value) }
    #expect(values == ["x", "y"])
  }
}

/// A sequence of results that is not `Sendable` and fails at its end.
struct Local: AsyncSequence {
  final class Token {}

  let texts: [String]
  let failure: MarbleFailure?
  let token = Token()

  init(_ texts: [String], failing failure: MarbleFailure? = nil) {
    self.texts = texts
    self.failure = failure
  }

  struct Iterator: AsyncIteratorProtocol {
    var texts: ArraySlice<String>
    let failure: MarbleFailure?
    let token: Token

    mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(MarbleFailure) -> QueryResult<String>? {
      if let text = texts.popFirst() { return Sample.result(text) }
      if let failure { throw failure }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(texts: texts[...], failure: failure, token: token)
  }
}
