import StreamQuery
import StreamQueryOperators
import Testing

struct CombineLatestTests {
  private func pair(_ pair: (String, String)) -> String { pair.0 + pair.1 }

  @Test func eachElementComesWithTheNewestOfTheOther() {
    expectDiagram("-(a1)-(b1)(b2)--|", render: pair) {
      combineLatest($0.input("a--b---|"), $0.input("-1--2-|"))
    }
  }

  @Test func elementsBeforeTheOtherHasBegunAreReplaced() {
    expectDiagram("---(c1)|", render: pair) {
      combineLatest($0.input("abc-|"), $0.input("---1|"))
    }
  }

  @Test func finishesWithTheLast() {
    expectDiagram("(a1)--(a2)|", anyOrder: true, render: pair) {
      combineLatest($0.input("a|"), $0.input("1--2|"))
    }
  }

  @Test func finishesWithOneThatHadNoElement() {
    expectDiagram("--|", render: pair) { combineLatest($0.input("--|"), $0.input("1-----2|")) }
    expectDiagram("---|", render: pair) { combineLatest($0.input("a|"), $0.input("---|")) }
  }

  @Test func theFirstFailureStopsTheOther() {
    expectDiagram("-(a1)^", render: pair) {
      combineLatest($0.failing("a-^"), $0.failing("-1--2|"))
    }
    expectDiagram("--^", render: pair) { combineLatest($0.failing("a-^"), $0.failing("----1|")) }
  }

  @Test func sequencesThatFailAndSequencesThatDoNotMix() {
    expectDiagram("-(a1)^", render: pair) {
      combineLatest($0.failing("a-^"), $0.input("-1--2|"))
    }
    expectDiagram("-(a1)--(a2)|", render: pair) {
      combineLatest($0.input("a|"), $0.failing("-1--2|"))
    }
  }

  @Test func cancellationEndsAtOnce() {
    expectDiagram("--;", render: pair) { combineLatest($0.input("a"), $0.input("----1")) }
    expectDiagram("-(a1);", render: pair) { combineLatest($0.input("a"), $0.input("-1--2")) }
  }

  @Test func noCombinationIsLostToASlowConsumer() {
    expectDiagram("-(a1)----(b1)(b2)|", asks: "x-----xxx", render: pair) {
      combineLatest($0.input("a-b|"), $0.input("-1-----2|"))
    }
  }

  @Test func threeToSixCombine() {
    expectDiagram("--(abc)|", render: { $0 + $1 + $2 }) {
      combineLatest($0.input("a--|"), $0.input("-b-|"), $0.input("--c|"))
    }
    expectDiagram("---[(abcd)|]", render: { $0 + $1 + $2 + $3 }) {
      combineLatest($0.input("a"), $0.input("-b"), $0.input("--c"), $0.input("---d|"))
        .prefix(1)
    }
    expectDiagram("----[(abcde)|]", render: { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 }) {
      combineLatest(
        $0.input("a"),
        $0.input("-b"),
        $0.input("--c"),
        $0.input("---d"),
        $0.input("----e")
      )
      .prefix(1)
    }
    expectDiagram("-----(abcdef)^", render: { $0.0 + $0.1 + $0.2 + $0.3 + $0.4 + $0.5 }) {
      combineLatest(
        $0.failing("a"),
        $0.input("-b"),
        $0.input("--c"),
        $0.input("---d"),
        $0.input("----e"),
        $0.failing("-----f^")
      )
    }
  }

  @Test func aListKeepsItsOrder() {
    expectDiagram("--(abc)(abz)(yb z)|", render: { $0.joined() }) {
      combineLatest([$0.input("a---y|"), $0.input("-b|"), $0.input("--cz|")])
    }
  }

  @Test func anEmptyListIsOneEmptyArray() {
    expectDiagram("0|", asks: "xx", render: { "\($0.count)" }) { _ in
      combineLatest([AsyncStream<String>]())
    }
  }

  @Test func eachIteratorCombinesForItself() {
    let environment = MarbleWorld(seed: 3)
    let sequence = combineLatest(environment.input("a--b|"), environment.input("-1|"))
    environment.consume(sequence.prefix(1), asks: nil, cancelAt: nil, render: pair)
    expectEqual(environment.play(until: 5), MarbleLine("-[(a1)|]"))
    expectEqual(environment.leftovers(), [])
  }
}
