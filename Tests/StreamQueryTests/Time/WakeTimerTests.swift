import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery

/// The one sleeping task of a client.
@Suite struct WakeTimerTests {
  private let simulation = Simulation()
  private let timer = WakeTimer()

  /// Arms the timer; what fires, and each task that is started, is noted.
  private func arm(_ seconds: Double, _ notes: Notes<String>) {
    let clock = simulation.clock
    timer.arm(.seconds(seconds), executor: simulation.executor) {
      notes.add("task")
      return { moment in
        try await clock.sleep(until: .init(offset: .nanoseconds(moment.nanoseconds)))
        notes.add("fired at \(clock.now.offset)")
      }
    }
  }

  @Test func oneTaskSleepsForOneDeadlineAfterTheOther() {
    let notes = Notes<String>()
    for second in 1...3 {
      arm(Double(second), notes)
      simulation.advance(to: .init(offset: .seconds(second)))
    }
    #expect(
      notes.all == ["task", "fired at 1.0 seconds", "fired at 2.0 seconds", "fired at 3.0 seconds"]
    )
    timer.cancel()
    simulation.settle()
  }

  @Test func anEarlierDeadlineTakesThePlaceOfTheOneBefore() {
    let notes = Notes<String>()
    arm(10, notes)
    simulation.settle()
    arm(2, notes)
    simulation.advance(by: .seconds(30))
    #expect(notes.all == ["task", "task", "fired at 2.0 seconds"])
    // The task that took the place rests, and the one before is over.
    arm(40, notes)
    simulation.advance(by: .seconds(30))
    #expect(notes.all.dropFirst(3) == ["fired at 40.0 seconds"])
    timer.cancel()
    simulation.settle()
  }

  @Test func aTimerThatIsArmedAsItFiresMissesNothing() {
    // Armed between the end of the sleep and the rest: another task takes over.
    let notes = Notes<String>()
    let (clock, executor, timer) = (simulation.clock, simulation.executor, timer)
    timer.arm(.seconds(1), executor: executor) {
      { moment in
        try await clock.sleep(until: .init(offset: .nanoseconds(moment.nanoseconds)))
        notes.add("first")
        timer.arm(.seconds(2), executor: executor) {
          { moment in
            try await clock.sleep(until: .init(offset: .nanoseconds(moment.nanoseconds)))
            notes.add("second at \(clock.now.offset)")
          }
        }
      }
    }
    simulation.advance(by: .seconds(5))
    #expect(notes.all == ["first", "second at 2.0 seconds"])
    timer.cancel()
    simulation.settle()
  }

  @Test(arguments: [false, true]) func aCancelledTimerEndsItsTaskAndIsNeverArmedAgain(rests: Bool) {
    let notes = Notes<String>()
    arm(1, notes)
    simulation.settle()
    if rests { simulation.advance(by: .seconds(1)) }
    timer.cancel()
    arm(2, notes)
    simulation.advance(by: .seconds(5))
    #expect(notes.all == (rests ? ["task", "fired at 1.0 seconds"] : ["task"]))
  }

  @Test(arguments: [false, true]) func aCancelledTimersTaskIsOver(rests: Bool) {
    var notes: Notes<String>? = Notes()
    weak let held = notes
    if let notes { arm(1, notes) }
    notes = nil
    simulation.settle()
    if rests { simulation.advance(by: .seconds(1)) }
    #expect(held != nil, "the task holds what it waits by")
    timer.cancel()
    simulation.settle()
    #expect(held == nil)
  }

  @Test func aClientThatOutlivesItsSimulationWaitsForNothingAnyMore() {
    var simulation: Simulation? = Simulation()
    var client = simulation.map { QueryClient(simulation: $0) }
    client?.setData(1, for: "a")
    simulation?.settle()
    weak let timer = client?.timer
    weak let signals = client?.signals
    #expect(timer != nil && signals != nil)
    simulation = nil
    client = nil
    // Their tasks hold them: they have ended, rather than on another thread some time later.
    #expect(timer == nil && signals == nil)
  }
}
