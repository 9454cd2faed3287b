import StreamQuery
import StreamQueryOperators
import Testing

struct ThrottleTests {
  @Test func theFirstComesAtOnceAndTheNewestAtTheEnd() {
    expectDiagram("a--c------d") {
      $0.input("  abc-------d").throttle(for: .ticks(3), clock: $0.clock)
    }
  }

  @Test func itsClockIsTheOneOfTheIteration() {
    expectDiagram("a--c------d") { $0.input("  abc-------d").throttle(for: .ticks(3)) }
  }

  @Test func whatComesAtTheEndOfAWindowIsOutsideIt() {
    expectDiagram("a--c--d") { $0.input("abcd---").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a--b--c") { $0.input("a--b--c").throttle(for: .ticks(3), clock: $0.clock) }
  }

  @Test func leadingDropsTheRestOfAWindow() {
    expectDiagram("a--d--e---") {
      $0.input("  abcd--ef--").throttle(for: .ticks(3), edges: .leading, clock: $0.clock)
    }
  }

  @Test func trailingHoldsTheNewestUntilTheEndOfAWindow() {
    expectDiagram("---c--d-------e") {
      $0.input("  abcd-------e---").throttle(for: .ticks(3), edges: .trailing, clock: $0.clock)
    }
  }

  @Test func finishLetsThroughWhatWaits() {
    expectDiagram("a-[b|]") { $0.input("ab|").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a-----|") { $0.input("a-----|").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a-|") {
      $0.input("   ab|").throttle(for: .ticks(3), edges: .leading, clock: $0.clock)
    }
    expectDiagram("--[b|]") {
      $0.input("   ab|").throttle(for: .ticks(3), edges: .trailing, clock: $0.clock)
    }
  }

  @Test func failureComesAfterWhatWaits() {
    expectDiagram("a-[b^]") { $0.failing("ab^").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("--^") { $0.failing("--^").throttle(for: .ticks(3), clock: $0.clock) }
  }

  @Test func cancellationEndsAtOnceAndDropsWhatWaits() {
    expectDiagram(";  ") { $0.input("-----|").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a;") { $0.input("a----|").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a-;") { $0.input("ab---|").throttle(for: .ticks(3), clock: $0.clock) }
    expectDiagram("a--b;") { $0.input("ab---|").throttle(for: .ticks(3), clock: $0.clock) }
  }

  @Test func zeroAndLessLetEverythingThrough() {
    expectDiagram("a-b-c|") { $0.input("a-b-c|").throttle(for: .zero, clock: $0.clock) }
    expectDiagram("a-b-c|") { $0.input("a-b-c|").throttle(for: .seconds(-1), clock: $0.clock) }
  }

  @Test func aWindowOfMoreThanAHundredYearsNeverEnds() {
    expectDiagram("a----[c|]") {
      $0.input("   a-b-c|").throttle(for: .seconds(Int64.max), clock: $0.clock)
    }
  }

  @Test func aSlowConsumerGetsTheNewestThatWasLetThrough() {
    expectDiagram("a------------e", asks: "x------------x") {
      $0.input("  a-b---d---e----").throttle(for: .ticks(2), clock: $0.clock)
    }
  }

  @Test func aConsumerThatStopsLeavesNothing() {
    expectDiagram("a-[b|]") {
      $0.input("ab--c-d-e").throttle(for: .ticks(2), clock: $0.clock).prefix(2)
    }
  }
}
