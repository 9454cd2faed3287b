@testable import StreamQuery
@testable import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct PlaceholderTests {
  @Test func standsInWhileThereIsNothingT15() {
    expectResults("(s~)-(s*~)-(s=~)-x-|", of: "p-(p*)-(p=)-x-|") { $0.placeholder("s") }
  }

  @Test func goesWithAnErrorAndComesBackForTheNextTryT15() {
    expectResults("(s*~)-(!)-(s*~)-(!2)|", of: "(p*)-(!)-(p*)-(!2)|") { $0.placeholder("s") }
  }

  @Test func leavesDataAlone() {
    expectResults("x-(x!)-(y~)-(!*)|", of: "x-(x!)-(y~)-(!*)|") { $0.placeholder("s") }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.placeholder("s") }
    expectEndsPassThrough("p", "p*") { $0.placeholder("s") }
    expectEndsPassThrough { $0.placeholder { _, _ in nil } }
  }

  @Test func isOneBoxForAllResultsSoThatASelectionIsMadeOnceT15() {
    let step = _PlaceholderStep(box: TypedBox("s"))
    let first = step.take(Sample.result("p"))?.snapshot.data
    #expect(first === step.take(Sample.result("p*"))?.snapshot.data)
    #expect(first === step.box)
  }

  @Test func isNeverCachedT15() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("a", fetch: ScriptedFetch<String>(.value("real", after: .seconds(1))))
    let first = simulation.record(client.stream(query).placeholder("soon"))
    let second = simulation.record(client.stream(query))
    simulation.settle()
    #expect(first.summaries == [.placeholder("soon", isFetching: true)])
    expectNil(first.values[0].dataUpdatedAt)
    #expect(second.summaries == [.pending(isFetching: true)])
    expectNil(client.data(for: query))
    simulation.advance(by: .seconds(1))
    #expect(first.summaries.last == .success("real"))
  }

  @Test func aClosureGetsTheDataOfTheKeyBeforeT15() {
    expectResults("(?*~)-x-(2:x?*~)-(2:y)-(3:y?*~)|", of: "(p*)-x-(2:p*)-(2:y)-(3:p*)|") {
      $0.placeholder { data, _ in (data ?? "") + "?" }
    }
  }

  @Test func aClosureGetsTheResultOfTheKeyBeforeT15() {
    expectResults("x-(x!)-(2:true~)|", of: "x-(x!)-(2:p)|") {
      $0.placeholder { _, result in result.map { "\($0.isError)" } }
    }
  }

  @Test func aClosureGetsNothingAfterAResetOfTheSameKeyT15() {
    expectResults("x-p-(2:p)-(2:y)-(2:p)|", of: "x-p-(2:p)-(2:y)-(2:p)|") {
      $0.placeholder { data, _ in data }
    }
  }

  @Test func aClosureGetsNothingOfAKeyThatLostItsDataAndHasAPlaceholderOrAnErrorT15() {
    for lost in ["(s~)", "(!)"] {
      expectResults("x-\(lost)-(2:p)|", of: "x-\(lost)-(2:p)|") {
        $0.placeholder { data, _ in data }
      }
    }
  }

  @Test func aClosureThatReturnsNilShowsNoStandIn() {
    expectResults("p-x-(2:p)|", of: "p-x-(2:p)|") { $0.placeholder { _, _ in nil } }
  }

  @Test func aClosureIsAskedOncePerWaitForData() {
    let calls = Mutex(0)
    var step = _MadePlaceholderStep<String> { _, _ in
      calls.withLock { $0 += 1 }
      return "s"
    }
    let counts = ["p", "p*", "p=", "x", "2:p", "2:p*", "2:!", "2:p*", "3:p"].map { text in
      _ = step.take(Sample.result(text))
      return calls.withLock { $0 }
    }
    expectEqual(counts, [1, 1, 1, 1, 2, 2, 2, 3, 4])
  }
}
