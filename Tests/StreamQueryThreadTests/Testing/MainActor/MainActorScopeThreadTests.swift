import Dispatch
import Synchronization
import Testing

@testable import StreamQueryTesting

/// Tasks that leave a simulation which holds the main actor, and come back from another thread.
@MainActor struct MainActorScopeThreadTests {
  @Test func whoComesBackFromElsewhereIsReported() {
    let failures = Collected<String>()
    let lines = Collected<String>()
    Simulation.onMainActor(onFailure: { failures.append($0) }) { simulation in
      let isBack = DispatchSemaphore(value: 0)
      DispatchQueue(label: "real time").async {
        for _ in 0..<2 {
          Task(executorPreference: simulation.executor) { lines.append("back") }
        }
        isBack.signal()
      }
      isBack.wait()
      simulation.settle()
    }
    expectEqual(lines.lines, ["back", "back"])
    expectEqual(failures.lines.count, 1)
    expectEqual(failures.lines.first?.contains("left the simulation and came back"), true)
    expectEqual(failures.lines.first?.contains("Task.sleep"), true)
  }

  @Test func aTaskThatLeftComesBackToTheClaimedThread() {
    expectNil(RuntimeHooks.install())
    let jobs = KeptJobs()
    let exit = Exit()
    let lines = Collected<String>()
    MainStandIn.claimThread(for: jobs, onLateReturn: {}) {
      Task {
        await exit.leave()
        lines.append(Self.assumed("back"))
      }
      while exit.departures == 0 { jobs.runNext() }
      expectEmpty(lines.lines)
      exit.open()
      // Waits for what comes from the pool, by the hook on a thread of its own.
      while lines.lines.isEmpty { jobs.runNext() }
    }
    expectEqual(lines.lines, ["back"])
  }

  @Test func aReturnAfterTheEndIsReportedOnceAndGoesToTheRealMainActor() async {
    expectNil(RuntimeHooks.install())
    let jobs = KeptJobs()
    let exit = Exit()
    let reports = Collected<String>()
    let tasks = MainStandIn.claimThread(for: jobs) {
      reports.append("late")
    } _: {
      let tasks = (0..<2).map { _ in
        Task {
          await exit.leave()
          return Self.assumed("on the main actor")
        }
      }
      while exit.departures < 2 { jobs.runNext() }
      return tasks
    }
    exit.open()
    for task in tasks { await expectEqual(task.value, "on the main actor") }
    expectEqual(reports.lines, ["late"])
  }

  @Test func aTaskThatComesBackAfterTheEndDoesNotArriveInALaterClaim() async {
    expectNil(RuntimeHooks.install())
    let (jobs, laterJobs) = (KeptJobs(), KeptJobs())
    let exit = Exit()
    let task = MainStandIn.claimThread(for: jobs, onLateReturn: {}) {
      let task = Task {
        await exit.leave()
        return Self.assumed("on the main actor")
      }
      while exit.departures == 0 { jobs.runNext() }
      return task
    }
    let arrived = MainStandIn.claimThread(for: laterJobs, onLateReturn: {}) {
      exit.openNow()
      return laterJobs.number
    }
    expectEqual(arrived, 0)
    await expectEqual(task.value, "on the main actor")
  }

  /// Traps if this is not the main actor.
  private nonisolated static func assumed<Value: Sendable>(_ value: Value) -> Value {
    MainActor.assumeIsolated { value }
  }

  /// Where tasks leave for a queue, until it is opened.
  private final class Exit: Sendable {
    private let queue = DispatchQueue(label: "real time")
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    var departures: Int { waiting.withLock { $0.count } }

    func leave() async {
      await withCheckedContinuation { continuation in
        waiting.withLock { $0.append(continuation) }
      }
    }

    func open() {
      let waiting = waiting.withLock { $0 }
      queue.async { for continuation in waiting { continuation.resume() } }
    }

    /// Opens it, and returns when all are on their way back.
    func openNow() {
      open()
      queue.sync {}
    }
  }

  /// Keeps jobs in order of arrival, and waits for the next.
  private final class KeptJobs: ThreadJobs {
    private let jobs = Mutex<[ScheduledJob]>([])
    private let count = DispatchSemaphore(value: 0)

    var number: Int { jobs.withLock { $0.count } }

    func takeMain(_ job: UnownedJob) -> Bool { keep(ScheduledJob(job: job, isOnMain: true)) }
    func takeGlobal(_ job: UnownedJob) -> Bool { keep(ScheduledJob(job: job, isOnMain: false)) }

    private func keep(_ job: ScheduledJob) -> Bool {
      jobs.withLock { $0.append(job) }
      count.signal()
      return true
    }

    func runNext() {
      count.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.run(on: globalConcurrentExecutor.asUnownedTaskExecutor())
    }
  }
}
