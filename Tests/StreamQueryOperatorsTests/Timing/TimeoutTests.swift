import StreamQuery
import StreamQueryOperators
import Testing

/// A consumer that always asks does so for the first time one tick before the first column.
struct TimeoutTests {
  @Test func elementsInTimePass() {
    expectDiagram("a-b-c-|") { $0.input("a-b-c-|").timeout(after: .ticks(3)) }
  }

  @Test func anElementThatTakesTooLongIsAnError() {
    expectDiagram("a--!") { $0.input("a----b|").timeout(after: .ticks(3)) }
    expectDiagram("--!") { $0.input("-----b|").timeout(after: .ticks(3)) }
  }

  @Test func exactlyAtTheLimitIsLate() {
    expectDiagram("a--!") { $0.input("a--b|").timeout(after: .ticks(3)) }
    expectDiagram("a--!") { $0.input("a--|").timeout(after: .ticks(3)) }
    expectDiagram("a--!") { $0.failing("a--^").timeout(after: .ticks(3)) }
  }

  @Test func eachElementHasTheWholeLimit() {
    expectDiagram("--a--b--c--d--|") {
      $0.input("  --a--b--c--d--|").timeout(after: .ticks(4))
    }
  }

  @Test func aSlowConsumerUsesUpNobodysTime() {
    expectDiagram("a----------b|", asks: "x---------xx") {
      $0.input("a----------b|").timeout(after: .ticks(3))
    }
  }

  @Test func finishAndFailurePass() {
    expectDiagram("a-|") { $0.input("a-|").timeout(after: .ticks(3)) }
    expectDiagram("a-^") { $0.failing("a-^").timeout(after: .ticks(3)) }
  }

  @Test func cancellationEndsAtOnce() {
    expectDiagram(";  ") { $0.input("------").timeout(after: .ticks(3)) }
    expectDiagram("a-;") { $0.input("a-----").timeout(after: .ticks(3)) }
  }

  @Test func zeroAndLessAreAlwaysTooLong() {
    expectDiagram("!", asks: "x") { $0.input("a").timeout(after: .zero) }
    expectDiagram("-!", asks: "-x") { $0.input("-a").timeout(after: .seconds(-1)) }
  }

  @Test func moreThanAHundredYearsIsNever() {
    expectDiagram("----------a|") { $0.input("----------a|").timeout(after: .seconds(Int64.max)) }
  }

  @Test func theClockCanBeGiven() {
    expectDiagram("a--!") {
      $0.input("a----b|").timeout(after: .ticks(3), clock: $0.clock)
    }
  }

  @Test func theErrorSaysTheLimitAndIsTypedWhereThereIsNoOther() async {
    let never = AsyncStream<Int> { _ in }
    do throws(TimeoutError) {
      for try await _ in never.timeout(after: .zero) {}
      Issue.record("no error")
    } catch {
      expectEqual(error, TimeoutError(limit: .zero))
    }
  }
}
