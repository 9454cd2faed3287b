import StreamQuery
import Testing

@testable import StreamQueryUI

struct KeyDebounceMachineTests {
  private let a = AnyQueryKey("a")
  private let b = AnyQueryKey("b")
  private let c = AnyQueryKey("c")

  @Test("the observed key counts at once, and another one waits")
  func otherKeysWait() {
    var machine = KeyDebounceMachine()
    expect(machine.came(a, observing: a) == .goOver && machine.waiting == nil)
    expect(machine.came(b, observing: a) == .wait && machine.waiting == b)
    machine.ended()
    expectNil(machine.waiting)
    expectEqual(machine.came(b, observing: b), .goOver)
  }

  @Test("a newer key waits anew, the same one goes on waiting")
  func onlyNewKeysWaitAnew() {
    var machine = KeyDebounceMachine()
    expectEqual(machine.came(b, observing: a), .wait)
    expectEqual(machine.came(b, observing: a), .goOnWaiting)
    expect(machine.came(c, observing: a) == .wait && machine.waiting == c)
    expect(machine.came(b, observing: a) == .wait && machine.waiting == b)
  }

  @Test("back at the observed key, nothing waits any more")
  func theObservedKeyEndsTheWait() {
    var machine = KeyDebounceMachine()
    expectEqual(machine.came(b, observing: a), .wait)
    expect(machine.came(a, observing: a) == .goOver && machine.waiting == nil)
    expectEqual(machine.came(b, observing: a), .wait)
  }
}
