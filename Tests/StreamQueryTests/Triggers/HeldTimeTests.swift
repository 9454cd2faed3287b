import Testing

@testable import StreamQuery

struct HeldTimeTests {
  private enum Fact: CaseIterable {
    case given
    case ended
  }

  /// A thread that waits is woken once, and none waits when there is nothing to wait for any more.
  @Test func eachThreadThatWaitsIsWoken() {
    var words: [[Fact]] = [[]]
    for _ in 0..<5 { words += words.flatMap { word in Fact.allCases.map { word + [$0] } } }
    for word in words {
      var (time, waiting, wasEnded) = (HeldTime(), 0, false)
      for fact in word {
        switch fact {
        case .given:
          let waits = time.given()
          expect(!waits || !wasEnded && waiting == 0)
          if waits { waiting += 1 }
        case .ended:
          expectEqual(time.ended(), waiting == 1)
          (waiting, wasEnded) = (0, true)
        }
      }
      expect(!wasEnded || waiting == 0)
    }
  }

  @Test func theTimeIsHeldFromWhenItIsGivenUntilTheWorkIsDone() {
    var time = HeldTime()
    let held = [time.given(), time.ended(), time.ended()]
    expectEqual(held, [true, true, false])
    var short = HeldTime()
    let unheld = [short.ended(), short.given()]
    expectEqual(unheld, [false, false])
  }
}
