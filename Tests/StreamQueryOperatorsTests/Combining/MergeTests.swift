import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct MergeTests {
  @Test func everyElementOfEachComes() {
    expectDiagram("abcd--|") { merge($0.input("a-c---|"), $0.input("-b-d|")) }
    expectDiagram("abcd|") { merge($0.input("a--d|"), $0.input("-b-|"), $0.input("--c|")) }
    expectDiagram("abcd|") {
      merge($0.input("a---|"), $0.input("-b-|"), $0.input("--c|"), $0.input("---d|"))
    }
    expectDiagram("abcd|") {
      merge([$0.input("a---|"), $0.input("-b-|"), $0.input("--c|"), $0.input("---d|")])
    }
  }

  @Test func elementsOfOneTickAllComeInAnyOrder() {
    expectDiagram("[ab]-[cde]|", anyOrder: true) {
      merge($0.input("a-[cd]|"), $0.input("b-e|"))
    }
  }

  @Test func finishesWithTheLast() {
    expectDiagram("a----|") { merge($0.input("a|"), $0.input("-----|")) }
    expectDiagram("-|") { merge($0.input("|"), $0.input("-|")) }
  }

  @Test func theFirstFailureStopsTheOthers() {
    expectDiagram("ab^") { merge($0.failing("a-^"), $0.failing("-b--c|")) }
    expectDiagram("ab^") { merge($0.failing("a---|"), $0.failing("-b^")) }
    expectDiagram("^") { merge($0.failing("^"), $0.failing("--^")) }
  }

  @Test func sequencesThatFailAndSequencesThatDoNotMix() {
    expectDiagram("ab^") { merge($0.failing("a-^"), $0.input("-b--c|")) }
    expectDiagram("ab--c|") { merge($0.input("a----|"), $0.failing("-b--c|")) }
    expectDiagram("abc^") { merge($0.input("a"), $0.failing("-b-^"), $0.input("--c")) }
    expectDiagram("abc^") {
      merge($0.input("a"), $0.input("-b"), $0.input("--c"), $0.failing("---^"))
    }
  }

  @Test func nothingIsLostToASlowConsumer() {
    expectDiagram("a---b-c|", asks: "x---x-xx") { merge($0.input("a-c|"), $0.input("-b|")) }
    expectDiagram("a---------[bcd|]", asks: "x---------[xxxxx]", anyOrder: true) {
      merge($0.input("a-[bc]|"), $0.input("-d|"))
    }
  }

  @Test func aFailureComesAfterElementsThatCameBeforeIt() {
    expectDiagram("a---b^", asks: "x---xx") {
      merge($0.failing("a"), $0.failing("-b"), $0.failing("--^"))
    }
  }

  @Test func cancellationEndsAtOnce() {
    expectDiagram(";  ") { merge($0.input("--a"), $0.input("--b")) }
    expectDiagram("ab;") { merge($0.input("a--c|"), $0.input("-b---|")) }
    expectDiagram("a;") { merge($0.input("a"), $0.input("|")) }
  }

  @Test func cancellationDropsWhatIsBuffered() {
    expectDiagram("a---;", asks: "x---x") { environment in
      environment.schedule(at: 3) {}
      return merge(environment.input("a"), environment.input("------b"))
    }
  }

  @Test func noSequenceFinishesAtOnce() {
    expectDiagram("|", asks: "x") { _ in merge([AsyncStream<String>]()) }
  }

  @Test func aConsumerThatStopsLeavesNothing() {
    expectDiagram("a[b|]") { merge($0.input("a-c"), $0.input("-b-d")).prefix(2) }
  }

  @Test func nothingIsAskedForWhileTheConsumerDoesNotWait() {
    let environment = MarbleWorld(seed: 0)
    let first = environment.input("abcd|")
    let second = environment.input("-e|")
    environment.consume(merge(first, second), asks: "x", cancelAt: nil) { $0 }
    expectEqual(environment.play(until: 5), MarbleLine("a"))
    expectEqual(first.channel.asks, 1)
    expectEqual(second.channel.asks, 1)
    environment.simulation.shutDown()
  }

  @Test func theFailureTypeIsKeptWhereThereIsOne() async {
    let environment = MarbleWorld(seed: 0)
    let typed: any AsyncSequence<String, MarbleFailure> = merge(
      environment.failing("a"),
      environment.failing("b")
    )
    let never: any AsyncSequence<String, Never> = merge(
      environment.input("a"),
      environment.input("b")
    )
    _ = (typed, never)
    environment.simulation.shutDown()
  }
}
