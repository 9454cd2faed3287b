import Testing

@testable import StreamQueryUI

struct NextPageMachineTests {
  private func facts(
    next: Bool = true,
    idle: Bool = true,
    error: Bool = false
  ) -> NextPageMachine.Facts {
    NextPageMachine.Facts(isReady: next && idle, isError: error, count: 1, updated: nil)
  }

  @Test("it fetches after the view has appeared, and after each page while that is shown")
  func whileShown() {
    var machine = NextPageMachine()
    expectEqual(machine.changed(), .nothing)
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.changed(), .nothing)
    expectEqual(machine.turnEnded(facts(idle: false)), .nothing)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts(next: false)), .nothing)
  }

  @Test("a page that pushes the view off the screen is the last one")
  func offTheScreen() {
    var machine = NextPageMachine()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    machine.disappeared()
    expectEqual(machine.turnEnded(facts()), .nothing)
    expectEqual(machine.changed(), .nothing)
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
  }

  @Test("what has failed is tried again when the view is back, and not before")
  func failure() {
    var machine = NextPageMachine()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts(error: true)), .nothing)
    machine.disappeared()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.changed(), .nothing)
    expectEqual(machine.turnEnded(facts(error: true)), .fetch)
  }

  @Test("a view that is back in the turn of a change tries again what has failed")
  func backInTheTurnOfAChange() {
    var machine = NextPageMachine()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts(error: true)), .fetch)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    machine.disappeared()
    expectEqual(machine.appeared(), .nothing)
    expectEqual(machine.turnEnded(facts(error: true)), .fetch)
  }

  @Test("a query that is gone at the end of a turn does not stop the next one")
  func gone() {
    var machine = NextPageMachine()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(nil), .nothing)
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
  }

  @Test("a view that makes several is shown once")
  func several() {
    var machine = NextPageMachine()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts(idle: false)), .nothing)
    expectEqual(machine.appeared(), .nothing)
    machine.disappeared()
    expectEqual(machine.changed(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
    machine.disappeared()
    machine.disappeared()
    expectEqual(machine.appeared(), .awaitEndOfTurn)
    expectEqual(machine.turnEnded(facts()), .fetch)
  }
}
