import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct IntervalSequenceTests {
  @Test func ticksOncePerPeriod() {
    expectDiagram("--1-2-3", asks: "xxx") { IntervalSequence(every: .ticks(2), clock: $0.clock) }
  }

  @Test func canTickAtOnce() {
    expectDiagram("0-1-2", asks: "xxx") { _ in
      IntervalSequence(every: .ticks(2), startingImmediately: true)
    }
  }

  @Test func ticksDoNotDrift() {
    // The consumer comes late for the second; the third is due at six all the same.
    expectDiagram("--1--23", asks: "x----xx") { _ in IntervalSequence(every: .ticks(2)) }
  }

  @Test func aConsumerThatMissesTicksGetsTheNewestAndItsNumber() {
    expectDiagram("--1----3-----67", asks: "x------x-----xx") { _ in
      IntervalSequence(every: .ticks(2))
    }
  }

  @Test func cancellationEndsAtOnce() {
    expectDiagram("-;", asks: "xxx") { _ in IntervalSequence(every: .ticks(2)) }
    expectDiagram("--1;", asks: "xxx") { _ in IntervalSequence(every: .ticks(2)) }
    expectDiagram("0-;", asks: "xxx") { _ in
      IntervalSequence(every: .ticks(9), startingImmediately: true)
    }
  }

  @Test func withoutAPeriodThereIsNoTick() {
    expectDiagram("|", asks: "xxx") { _ in IntervalSequence(every: .zero) }
    expectDiagram("[0|]", asks: "[xx]") { _ in
      IntervalSequence(every: .seconds(-1), startingImmediately: true)
    }
  }

  @Test func anEnormousPeriodIsAHundredYears() {
    expectDiagram("----;", asks: "x") { _ in IntervalSequence(every: .seconds(Int64.max)) }
    let environment = MarbleWorld(seed: 1)
    environment.consume(IntervalSequence(every: .seconds(Int64.max)), asks: nil, cancelAt: nil) {
      "\($0)"
    }
    environment.simulation.advance(by: .seconds(100 * 365 * 86_400))
    expectEqual(environment.play(until: 0).marbles.values.flatMap(\.self), [.element("1")])
    environment.simulation.shutDown()
  }
}
