import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct DebounceTests {
  @Test func letsThroughWhatCameToRest() {
    expectDiagram("-----c-----d") {
      $0.input("  abc-----d--").debounce(for: .ticks(3), clock: $0.clock)
    }
  }

  @Test func itsClockIsTheOneOfTheIteration() {
    expectDiagram("-----c-----d") { $0.input("  abc-----d--").debounce(for: .ticks(3)) }
  }

  @Test func everyElementStartsTheIntervalAnew() {
    expectDiagram("---------d") {
      $0.input("  a-b-c-d---").debounce(for: .ticks(3), clock: $0.clock)
    }
  }

  @Test func anElementAtTheVeryEndDoesNotReplaceTheOneBefore() {
    expectDiagram("---a--b--c") {
      $0.input("  a--b--c---").debounce(for: .ticks(3), clock: $0.clock)
    }
  }

  @Test func finishLetsThroughWhatWaits() {
    expectDiagram("--[b|]") { $0.input("ab|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("[a|]  ") { $0.input("[a|]").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---a|") { $0.input("a---|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---[a|]") { $0.input("a--|").debounce(for: .ticks(3), clock: $0.clock) }
  }

  @Test func failureComesAfterWhatWaits() {
    expectDiagram("--[b^]") { $0.failing("ab^").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---a^") { $0.failing("a---^").debounce(for: .ticks(3), clock: $0.clock) }
  }

  @Test func anEmptyUpstreamEndsAsItEnds() {
    expectDiagram("--|") { $0.input("--|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("--^") { $0.failing("--^").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---") { $0.input("---").debounce(for: .ticks(3), clock: $0.clock) }
  }

  @Test func cancellationEndsAtOnceAndDropsWhatWaits() {
    expectDiagram("    ;") { $0.input("------|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("   -;") { $0.input("a-----|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---a;") { $0.input("a-----|").debounce(for: .ticks(3), clock: $0.clock) }
    expectDiagram("---a--;") { $0.input("a----b--|").debounce(for: .ticks(3), clock: $0.clock) }
  }

  @Test func zeroAndLessLetEverythingThrough() {
    expectDiagram("a-b-c|") { $0.input("a-b-c|").debounce(for: .zero, clock: $0.clock) }
    expectDiagram("a-b-c|") { $0.input("a-b-c|").debounce(for: .seconds(-9), clock: $0.clock) }
  }

  @Test func moreThanAHundredYearsWaitsForTheEnd() {
    expectDiagram("-----[b|]") {
      $0.input("   a-b--|").debounce(for: .seconds(Int64.max), clock: $0.clock)
    }
  }

  @Test func aSlowConsumerGetsTheNewestThatCameToRest() {
    expectDiagram("--a--------------c", asks: "x----------------x") {
      $0.input("  a---b-----c-------").debounce(for: .ticks(2), clock: $0.clock)
    }
    expectDiagram("--a--------[b|]", asks: "x----------[xx]") {
      $0.input("  a---b|").debounce(for: .ticks(2), clock: $0.clock)
    }
  }

  @Test func aConsumerThatStopsLeavesNothing() {
    expectDiagram("--[a|]") {
      $0.input("a-----b---c").debounce(for: .ticks(2), clock: $0.clock).prefix(1)
    }
  }

  @Test func nothingStartsBeforeTheFirstElementIsAskedFor() {
    let environment = MarbleWorld(seed: 0)
    let sequence = environment.input("-a|", name: "a").debounce(
      for: .ticks(2),
      clock: environment.clock
    )
    _ = sequence.makeAsyncIterator()
    _ = environment.play(until: 3)
    expectEqual(environment.listening, [])
  }

  @Test func aBurstTakesOneSleeper() {
    let environment = MarbleWorld(seed: 0)
    let burst = String(repeating: "x", count: 100)
    let sequence = environment.input(burst + "|").debounce(
      for: .ticks(1_000),
      clock: environment.clock
    )
    environment.consume(sequence, asks: nil, cancelAt: nil) { $0 }
    environment.simulation.advance(by: .ticks(51))
    // Of the hundred and one ticks of the input 51 have passed; one more sleeper is ours.
    #expect(environment.simulation.leakReport().contains("sleepers on the clock: 51"))
    environment.simulation.shutDown()
  }
}
