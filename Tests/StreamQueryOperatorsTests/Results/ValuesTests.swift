@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

@Suite struct ValuesTests {
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

  @Test func equalDataThatCameAnewIsNew() {
    expect("x-x|", of: "x-(x')|")
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
    expectEndsPassThrough("x", "x'") { $0.values() }
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
