import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery

/// The sleeping tasks of a client.
struct WakeTimerTests {
  private let simulation = Simulation()
  private let timer = WakeTimer()

  /// Arms the timer; what fires, and each task that is started, is noted.
  private func arm(_ instant: StreamQuery.Instant, _ notes: Notes<String>) {
    let clock = simulation.clock
    timer.arm(instant, at: clock.instant, executor: simulation.executor) {
      notes.add("task")
      return WakeTimer.Work(
        sleep: { try await clock.sleep(until: $0) },
        onWake: { notes.add("fired at \(clock.now.offset)") },
        onFailure: { error, _ in notes.add("\(error)") }
      )
    }
  }

  @Test func oneTaskSleepsForOneDeadlineAfterTheOther() {
    let notes = Notes<String>()
    for second in 1...3 {
      arm(.seconds(Double(second)), notes)
      simulation.advance(to: .init(offset: .seconds(second)))
    }
    expectEqual(
      notes.all,
      ["task", "fired at 1.0 seconds", "fired at 2.0 seconds", "fired at 3.0 seconds"]
    )
    timer.cancel()
    simulation.settle()
  }

  @Test func theLaterSleeperLivesOnBelowAnEarlierOne() {
    let notes = Notes<String>()
    arm(.seconds(10), notes)
    simulation.settle()
    arm(.seconds(2), notes)
    // Somebody wakes no later.
    arm(.seconds(5), notes)
    simulation.advance(by: .seconds(30))
    expectEqual(notes.all, ["task", "task", "fired at 2.0 seconds", "fired at 10.0 seconds"])
    // The one that woke first rests, the other one is over.
    arm(.seconds(40), notes)
    simulation.advance(by: .seconds(30))
    expectEqual(notes.all.dropFirst(4), ["fired at 40.0 seconds"])
    timer.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aTimerThatIsArmedAsItFiresMissesNothing() {
    // Armed between the end of the sleep and the rest: another task takes over.
    let notes = Notes<String>()
    let (clock, executor, timer) = (simulation.clock, simulation.executor, timer)
    timer.arm(.seconds(1), at: clock.instant, executor: executor) {
      WakeTimer.Work(
        sleep: { try await clock.sleep(until: $0) },
        onWake: {
          notes.add("first")
          timer.arm(.seconds(2), at: clock.instant, executor: executor) {
            WakeTimer.Work(
              sleep: { try await clock.sleep(until: $0) },
              onWake: { notes.add("second at \(clock.now.offset)") },
              onFailure: { _, _ in }
            )
          }
        },
        onFailure: { _, _ in }
      )
    }
    simulation.advance(by: .seconds(5))
    expectEqual(notes.all, ["first", "second at 2.0 seconds"])
    timer.cancel()
    simulation.settle()
  }

  @Test func shortDeadlinesUnderALongOneTakeTwoTasks() {
    let notes = Notes<String>()
    arm(.seconds(1_000), notes)
    for count in 1...10_000 {
      arm(Instant(nanoseconds: Int64(count) * 10_000_000), notes)
      simulation.advance(by: .milliseconds(10))
    }
    expectEqual(notes.all.filter { $0 == "task" }.count, 2)
    expectEqual(notes.all.filter { $0 != "task" }.count, 10_000)
    timer.cancel()
    simulation.settle()
  }

  @Test func everEarlierDeadlinesTakeFewTasksAndEachIsMetExactly() {
    let notes = Notes<String>()
    // The latest first.
    let left = Dial([Int]())
    let late = Notes<Int>()
    let (clock, timer, executor) = (simulation.clock, timer, simulation.executor)
    // As a client does: who is told arms the earliest of what is not due yet.
    @Sendable func arm() {
      guard let first = left.value.last else { return }
      timer.arm(.seconds(Double(first)), at: clock.instant, executor: executor) {
        notes.add("task")
        return WakeTimer.Work(
          sleep: { try await clock.sleep(until: $0) },
          onWake: {
            left.with { left in
              while let first = left.last, .seconds(first) <= clock.now.offset {
                if .seconds(first) != clock.now.offset { late.add(first) }
                left.removeLast()
              }
            }
            arm()
          },
          onFailure: { _, _ in }
        )
      }
    }
    for second in (1...10_000).reversed() {
      left.with { $0.append(second) }
      arm()
    }
    expectEqual(notes.count, 18)
    simulation.advance(by: .seconds(10_000))
    expectEqual(left.value, [])
    expectEqual(late.all, [])
    timer.cancel()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aCancelledTimerEndsAllItsSleepers() {
    var notes: Notes<String>? = Notes()
    weak let held = notes
    if let notes {
      for second in (1...100).reversed() { arm(.seconds(Double(second)), notes) }
      #expect(notes.count > 4)
    }
    notes = nil
    simulation.settle()
    expect(held != nil, "the tasks hold what they wait by")
    timer.cancel()
    simulation.settle()
    expectNil(held)
    expectEqual(simulation.leakReport(), [])
  }

  @Test(arguments: [false, true]) func aCancelledTimerEndsItsTaskAndIsNeverArmedAgain(rests: Bool) {
    let notes = Notes<String>()
    arm(.seconds(1), notes)
    simulation.settle()
    if rests { simulation.advance(by: .seconds(1)) }
    timer.cancel()
    arm(.seconds(2), notes)
    simulation.advance(by: .seconds(5))
    expectEqual(notes.all, rests ? ["task", "fired at 1.0 seconds"] : ["task"])
  }

  @Test(arguments: [false, true]) func aCancelledTimersTaskIsOver(rests: Bool) {
    var notes: Notes<String>? = Notes()
    weak let held = notes
    if let notes { arm(.seconds(1), notes) }
    notes = nil
    simulation.settle()
    if rests { simulation.advance(by: .seconds(1)) }
    expect(held != nil, "the task holds what it waits by")
    timer.cancel()
    simulation.settle()
    expectNil(held)
  }

  @Test func aClientThatOutlivesItsSimulationWaitsForNothingAnyMore() {
    var simulation: Simulation? = Simulation()
    var client = simulation.map { QueryClient(simulation: $0) }
    client?.setData(1, for: "a")
    simulation?.settle()
    weak let timer = client?.timer
    weak let signals = client?.signals
    expect(timer != nil && signals != nil)
    simulation = nil
    client = nil
    // Their tasks hold them: they have ended, rather than on another thread some time later.
    expect(timer == nil && signals == nil)
  }
}

extension SimulationClock {
  fileprivate var instant: StreamQuery.Instant {
    let (seconds, attoseconds) = now.offset.components
    return StreamQuery.Instant(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  fileprivate func sleep(until instant: StreamQuery.Instant) async throws {
    try await sleep(until: Instant(offset: .nanoseconds(instant.nanoseconds)))
  }
}
