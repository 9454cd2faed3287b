@testable import StreamQueryOperators
import Testing

struct TicksTests {
  @Test func aTickAheadSaysWhenItIsDue() {
    var ticks = Ticks(period: .seconds(2), isImmediate: false)
    expectEqual(ticks.next(at: .zero), Ticks.Tick(number: 1, due: .seconds(2)))
    expectEqual(ticks.next(at: .seconds(2)), Ticks.Tick(number: 2, due: .seconds(4)))
  }

  @Test func aTickThatIsDueIsTheNewest() {
    var ticks = Ticks(period: .seconds(2), isImmediate: true)
    expectEqual(ticks.next(at: .zero), Ticks.Tick(number: 0, due: nil))
    expectEqual(ticks.next(at: .seconds(7)), Ticks.Tick(number: 3, due: nil))
    expectEqual(ticks.next(at: .seconds(7)), Ticks.Tick(number: 4, due: .seconds(8)))
    expectEqual(ticks.next(at: .seconds(3)), Ticks.Tick(number: 5, due: .seconds(10)))
  }

  @Test func theTiniestPeriodOverTheLongestTimeDoesNotOverflow() {
    var ticks = Ticks(period: Duration(attoseconds: 1), isImmediate: false)
    expectEqual(ticks.next(at: .seconds(Int64.max))?.number, .max)
    var slow = Ticks(period: Interval.longest, isImmediate: false)
    expectNil(slow.next(at: .seconds(Int64.max))?.due)
  }

  @Test func withoutAPeriodOnlyTheImmediateTickComes() {
    var none = Ticks(period: .zero, isImmediate: false)
    expectNil(none.next(at: .zero))
    var one = Ticks(period: .zero, isImmediate: true)
    expectEqual(one.next(at: .zero), Ticks.Tick(number: 0, due: nil))
    expectNil(one.next(at: .seconds(1)))
  }
}
