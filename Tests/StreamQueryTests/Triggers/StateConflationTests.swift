import Synchronization
import StreamQueryTesting
import Testing

@testable import StreamQuery

/// N01, X28, T80, T81: who hears which state, without waiting for anything.
struct StateConflationTests {
  private let system = ScriptedSystem(present: nil)
  private let shared: SharedState

  /// A source that says nothing when it starts, and the reports of its runs.
  private let silent: SharedState
  private let reports: Notes<SharedState.Report>

  init() {
    shared = SharedState(start: system.start)
    let reports = Notes<SharedState.Report>()
    self.reports = reports
    // Weak: what is reported to holds the source.
    silent = SharedState { [weak reports] report in
      reports?.add(report)
      return {}
    }
  }

  @Test func theFirstListenerStartsTheSourceAndTheLastStopsIt() {
    var ada: SharedState.Listener? = shared.subscribe()
    var grace: SharedState.Listener? = shared.subscribe()
    expectEqual(system.counts, .init(starts: 1, stops: 0))
    withExtendedLifetime(ada) {}
    ada = nil
    expectEqual(system.counts, .init(starts: 1, stops: 0))
    withExtendedLifetime(grace) {}
    grace = nil
    expectEqual(system.counts, .init(starts: 1, stops: 1))
    let again = shared.subscribe()
    expectEqual(system.counts, .init(starts: 2, stops: 1))
    withExtendedLifetime(again) {}
  }

  @Test func nobodyHearsAnythingBeforeTheFirstReport() {
    let ada = shared.subscribe()
    expectNil(ada.take())
    system.report(false)
    expectEqual(drained(ada), [false])
  }

  @Test func whoComesLaterHearsThePresentStateFirst() {
    let ada = shared.subscribe()
    system.report(true)
    system.report(false)
    let late = shared.subscribe()
    expectEqual(drained(late), [false])
    withExtendedLifetime(ada) {}
  }

  @Test func equalStatesInARowAreHeardOnce() {
    let ada = shared.subscribe()
    system.report(true)
    expectEqual(drained(ada), [true])
    system.report(true)
    expectEqual(drained(ada), [])
    system.report(false)
    expectEqual(drained(ada), [false])
  }

  @Test func aReturnBetweenTwoReadsIsNotLost() {
    let ada = shared.subscribe()
    system.report(true)
    expectEqual(drained(ada), [true])
    for _ in 0..<3 {
      system.report(false)
      system.report(true)
    }
    expectEqual(drained(ada), [false, true])
  }

  @Test func aReturnBeforeTheFirstReadIsNotLost() {
    let ada = shared.subscribe()
    for state in [true, false, true, false, true] { system.report(state) }
    expectEqual(drained(ada), [true, false, true])
  }

  /// Walks every run of eight states and every place to read in it.
  @Test func aSlowReaderHearsAlternatingStatesThatEndWithThePresentOne() {
    for pattern in 0..<256 {
      for readAfter in 0...8 {
        let system = ScriptedSystem(present: nil)
        let ada = SharedState(start: system.start).subscribe()
        let states = (0..<8).map { pattern >> $0 & 1 == 1 }
        var heard: [Bool] = []
        for (index, state) in states.enumerated() {
          if index == readAfter { heard += drained(ada) }
          system.report(state)
        }
        let rest = drained(ada)
        heard += rest
        let trace = "states \(states), read after \(readAfter), heard \(heard)"
        #expect(rest.count <= 3, "\(trace)")
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 }, "\(trace)")
        expectEqual(heard.first, states.first, "\(trace)")
        expectEqual(heard.last, states.last, "\(trace)")
        // No fall or return is lost where there was one.
        expectEqual(heard.contains(true), states.contains(true), "\(trace)")
        expectEqual(heard.contains(false), states.contains(false), "\(trace)")
      }
    }
  }

  @Test func aReportOfAnEarlierRunChangesNothing() {
    _ = silent.subscribe()
    let grace = silent.subscribe()
    reports.all[0](false)
    expectEqual(drained(grace), [])
    reports.all[1](false)
    expectEqual(drained(grace), [false])
  }

  @Test func aStateIsForgottenWhenNobodyListens() {
    do {
      let ada = silent.subscribe()
      reports.all[0](false)
      withExtendedLifetime(ada) {}
    }
    let grace = silent.subscribe()
    expectEqual(drained(grace), [])
    reports.all[1](true)
    expectEqual(drained(grace), [true])
  }

  // MARK: Waiting

  @Test func everyListenerIsResumedInTheOrderOfArrival() async {
    let executor = QueuedExecutor()
    let heard = Notes<Int>()
    let tasks = (0..<5).map { number in
      let listener = shared.subscribe()
      return Task(executorPreference: executor) {
        _ = await listener.next(isolation: nil)
        heard.add(number)
      }
    }
    executor.drain()
    system.report(true)
    executor.drain()
    for task in tasks { await task.value }
    expectEqual(heard.all, [0, 1, 2, 3, 4])
  }

  @Test func leavingEndsEveryWait() async {
    let executor = QueuedExecutor()
    let ada = shared.subscribe()
    let waits = (0..<2).map { _ in
      Task(executorPreference: executor) { await ada.next(isolation: nil) }
    }
    executor.drain()
    waits[0].cancel()
    expectEqual(system.counts, .init(starts: 1, stops: 1))
    executor.drain()
    for wait in waits { await expectNil(wait.value) }
    await expectNil(ada.next(isolation: nil))
  }

  @Test func twoWaitsOfOneListenerShareTheStates() async {
    let executor = QueuedExecutor()
    let ada = shared.subscribe()
    let waits = (0..<2).map { _ in
      Task(executorPreference: executor) { await ada.next(isolation: nil) }
    }
    executor.drain()
    system.report(true)
    executor.drain()
    system.report(false)
    executor.drain()
    await expectEqual(waits[0].value, true)
    await expectEqual(waits[1].value, false)
  }

  private func drained(_ listener: SharedState.Listener) -> [Bool] {
    var states: [Bool] = []
    while let state = listener.take() { states.append(state) }
    return states
  }
}

/// Runs jobs in the order in which they came, when the test says so.
private final class QueuedExecutor: TaskExecutor {
  private let jobs = TestLock<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func drain() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
