@testable import StreamQueryOperators
import Testing

@Suite struct TicksTests {
  @Test func aTickAheadSaysWhenItIsDue() {
    var ticks = Ticks(period: .seconds(2), isImmediate: false)
    #expect(ticks.next(at: .zero) == Ticks.Tick(number: 1, due: .seconds(2)))
    #expect(ticks.next(at: .seconds(2)) == Ticks.Tick(number: 2, due: .seconds(4)))
  }

  @Test func aTickThatIsDueIsTheNewest() {
    var ticks = Ticks(period: .seconds(2), isImmediate: true)
    #expect(ticks.next(at: .zero) == Ticks.Tick(number: 0, due: nil))
    #expect(ticks.next(at: .seconds(7)) == Ticks.Tick(number: 3, due: nil))
    #expect(ticks.next(at: .seconds(7)) == Ticks.Tick(number: 4, due: .seconds(8)))
    #expect(ticks.next(at: .seconds(3)) == Ticks.Tick(number: 5, due: .seconds(10)))
  }

  @Test func theTiniestPeriodOverTheLongestTimeDoesNotOverflow() {
    var ticks = Ticks(period: Duration(attoseconds: 1), isImmediate: false)
    #expect(ticks.next(at: .seconds(Int64.max))?.number == .max)
    var slow = Ticks(period: Interval.longest, isImmediate: false)
    #expect(slow.next(at: .seconds(Int64.max))?.due == nil)
  }

  @Test func withoutAPeriodOnlyTheImmediateTickComes() {
    var none = Ticks(period: .zero, isImmediate: false)
    #expect(none.next(at: .zero) == nil)
    var one = Ticks(period: .zero, isImmediate: true)
    #expect(one.next(at: .zero) == Ticks.Tick(number: 0, due: nil))
    #expect(one.next(at: .seconds(1)) == nil)
  }
}
