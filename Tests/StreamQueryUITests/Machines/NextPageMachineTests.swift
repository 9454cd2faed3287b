import Testing

@testable import StreamQueryUI

struct NextPageMachineTests {
  private func facts(
    next: Bool = true,
    idle: Bool = true,
    error: Bool = false
  ) -> NextPageMachine.Facts {
    NextPageMachine.Facts(hasNextPage: next, isIdle: idle, isError: error, count: 1, updated: nil)
  }

  @Test("it fetches after the view has appeared, and after each page while that is shown")
  func whileShown() {
    var machine = NextPageMachine()
    #expect(machine.changed() == .nothing)
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.changed() == .nothing)
    #expect(machine.turnEnded(facts(idle: false)) == .nothing)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts(next: false)) == .nothing)
  }

  @Test("a page that pushes the view off the screen is the last one")
  func offTheScreen() {
    var machine = NextPageMachine()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    machine.disappeared()
    #expect(machine.turnEnded(facts()) == .nothing)
    #expect(machine.changed() == .nothing)
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
  }

  @Test("what has failed is tried again when the view is back, and not before")
  func failure() {
    var machine = NextPageMachine()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts(error: true)) == .nothing)
    machine.disappeared()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.changed() == .nothing)
    #expect(machine.turnEnded(facts(error: true)) == .fetch)
  }

  @Test("a view that is back in the turn of a change tries again what has failed")
  func backInTheTurnOfAChange() {
    var machine = NextPageMachine()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts(error: true)) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    machine.disappeared()
    #expect(machine.appeared() == .nothing)
    #expect(machine.turnEnded(facts(error: true)) == .fetch)
  }

  @Test("a query that is gone at the end of a turn does not stop the next one")
  func gone() {
    var machine = NextPageMachine()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(nil) == .nothing)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
  }

  @Test("a view that makes several is shown once")
  func several() {
    var machine = NextPageMachine()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts(idle: false)) == .nothing)
    #expect(machine.appeared() == .nothing)
    machine.disappeared()
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    machine.disappeared()
    machine.disappeared()
    #expect(machine.appeared() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
  }
}
