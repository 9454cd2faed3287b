import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// When a client writes, without a clock.
struct SavePlanTests {
  /// The plan as a reference: the macros of tests call no mutating functions.
  private final class Plan {
    private var plan = SavePlan(throttle: .seconds(1))

    var begun: UInt64 { plan.begun }
    var nextRound: UInt64 { plan.nextRound }
    var delay: Duration { plan.delay }

    func changed() -> UInt64? { plan.changed() }
    func requested() -> UInt64? { plan.requested() }
    func waited(_ task: UInt64) -> Bool { plan.waited(task) }
    func wrote(isDirty: Bool, isAwaited: Bool) -> (SavePlan.Step, UInt64) {
      plan.wrote(isDirty: isDirty, isAwaited: isAwaited)
    }
    func end() { plan.end() }
  }

  private let plan = Plan()

  @Test("the first change begins a wait, later ones join it")
  func gathering() {
    expectEqual(plan.changed(), 1)
    expectNil(plan.changed())
    expect(plan.waited(1))
    expectEqual(plan.wrote(isDirty: false, isAwaited: false).0, .rest)
    expectEqual(plan.changed(), 2)
  }

  @Test("a change during a write is written after another wait")
  func again() {
    expectEqual(plan.changed(), 1)
    expect(plan.waited(1))
    expectNil(plan.changed())
    let (step, task) = plan.wrote(isDirty: false, isAwaited: false)
    expectEqual(step, .wait(.seconds(1)))
    expect(plan.waited(task))
  }

  @Test("a request takes the place of a wait; the task that waited does nothing")
  func requested() {
    expectEqual(plan.changed(), 1)
    expectEqual(plan.nextRound, 1)
    expectEqual(plan.requested(), 2)
    expect(!plan.waited(1))
    expect(plan.waited(2))
    expectEqual(plan.begun, 1)
  }

  @Test("a request during a write is a round of its own, without a wait")
  func requestedDuringWrite() {
    expectEqual(plan.requested(), 1)
    expect(plan.waited(1))
    expectEqual(plan.nextRound, 2)
    expectNil(plan.requested())
    expectEqual(plan.wrote(isDirty: false, isAwaited: true).0, .write)
    expectEqual(plan.begun, 2)
    expectEqual(plan.wrote(isDirty: false, isAwaited: false).0, .rest)
  }

  @Test("after failures the waits double, up to a minute; a success ends that")
  func failures() {
    expectEqual(plan.changed(), 1)
    expect(plan.waited(1))
    var waits: [SavePlan.Step] = []
    for _ in 0..<8 {
      let (step, task) = plan.wrote(isDirty: true, isAwaited: false)
      waits.append(step)
      expect(plan.waited(task))
    }
    expectEqual(waits, [2, 4, 8, 16, 32, 60, 60, 60].map { .wait(.seconds($0)) })
    expectNil(plan.changed())
    expectEqual(plan.wrote(isDirty: false, isAwaited: false).0, .wait(.seconds(1)))
  }

  @Test("at the end it writes once, and does not try again")
  func end() {
    expectEqual(plan.changed(), 1)
    plan.end()
    expectEqual(plan.delay, .zero)
    expectEqual(plan.requested(), 2)
    expect(plan.waited(2))
    expectEqual(plan.wrote(isDirty: true, isAwaited: false).0, .rest)
  }

  @Test("what comes during the last write is written at once, even if that write fails")
  func endDuringWrite() {
    expectEqual(plan.changed(), 1)
    expect(plan.waited(1))
    plan.end()
    expectNil(plan.requested())
    expectEqual(plan.wrote(isDirty: true, isAwaited: false).0, .write)
    expectEqual(plan.begun, 2)
    expectEqual(plan.wrote(isDirty: true, isAwaited: false).0, .rest)
  }

  @Test("no throttle overflows")
  func longThrottle() {
    var plan = SavePlan(throttle: .seconds(Int64.max))
    let task = plan.changed() ?? 0
    let waited = plan.waited(task)
    expect(waited)
    for _ in 0..<10 {
      let (step, next) = plan.wrote(isDirty: true, isAwaited: false)
      expectEqual(step, .wait(.seconds(60)))
      let waited = plan.waited(next)
      expect(waited)
    }
  }
}
