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

  @Test("it fetches when the view appears, and after each page while that is shown")
  func whileShown() {
    var machine = NextPageMachine()
    #expect(machine.changed() == .nothing)
    #expect(machine.appeared(facts()) == .fetch)
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
    #expect(machine.appeared(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    machine.disappeared()
    #expect(machine.turnEnded(facts()) == .nothing)
    #expect(machine.changed() == .nothing)
    #expect(machine.appeared(facts()) == .fetch)
  }

  @Test("what has failed is tried again when the view is back, and not before")
  func failure() {
    var machine = NextPageMachine()
    #expect(machine.appeared(facts()) == .fetch)
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts(error: true)) == .nothing)
    machine.disappeared()
    #expect(machine.appeared(facts(error: true)) == .fetch)
  }

  @Test("a view that makes several is shown once")
  func several() {
    var machine = NextPageMachine()
    #expect(machine.appeared(facts(idle: false)) == .nothing)
    #expect(machine.appeared(facts()) == .nothing)
    machine.disappeared()
    #expect(machine.changed() == .awaitEndOfTurn)
    #expect(machine.turnEnded(facts()) == .fetch)
    machine.disappeared()
    machine.disappeared()
    #expect(machine.appeared(facts()) == .fetch)
  }
}
