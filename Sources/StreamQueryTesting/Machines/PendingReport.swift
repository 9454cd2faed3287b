internal import StreamQuery

/// The unfinished work and the waits of a simulation, in words, for the message of a failure.
struct PendingReport: Equatable, Sendable {
  /// The present virtual time.
  var now: Duration = .zero
  /// The number of jobs that are ready and have not run.
  var readyJobs = 0
  /// The number of sleepers on the clock, except for timers of clients.
  var sleepers = 0
  /// The time at which the next sleeper wakes, timers of clients included.
  var nextDeadline: Duration?
  /// The number of calls of scripted fetches that wait to be released.
  var suspendedCalls = 0
  /// The number of calls of scripted fetches that wait until they are cancelled.
  var endlessCalls = 0
  /// The names of the simulation's unfinished tasks.
  var tasks: [String] = []
  /// The unfinished fetches and runs of clients.
  var work: [Liveness.Work] = []
  /// Other objects that clients report as alive.
  var others: [String] = []
  /// The waits of the simulation's tasks for clients that were made without the simulation.
  var elsewhere: [String] = []

  /// The lines of the report, with a heading.
  var text: String { Self.text(lines) }

  /// Returns some lines, with the heading of a report.
  static func text(_ lines: [String]) -> String {
    "What is pending:" + lines.map { "\n- \($0)" }.joined()
  }

  /// The lines of the report: one for each object, and advice.
  var lines: [String] {
    var lines = work.map { Self.line($0) } + others + tasks.map { "unfinished task: \($0)" }
    if suspendedCalls > 0 {
      lines.append(
        "calls of scripted fetches that are suspended: \(suspendedCalls); "
          + "`release(returning:)` lets one go on"
      )
    }
    if endlessCalls > 0 {
      lines.append(
        "calls of scripted fetches that only a cancellation ends: \(endlessCalls); "
          + "a step in the script gives such a call an answer"
      )
    }
    lines += elsewhere.map {
      "\($0), at a client that was made without the simulation: make it by "
        + "`QueryClient(simulation:)`"
    }
    if readyJobs > 0 {
      lines.append("jobs that are ready but have not run: \(readyJobs); `settle()` runs them")
    }
    if hasUnknownWait {
      lines.append(
        """
        What runs waits for nothing that the simulation knows: for a real sleep, the network, a \
        dispatch queue, the main actor, or a continuation that nobody resumes. Sleep on \
        `Scheduling.current.clock`, let a `ScriptedFetch` answer, and take the main actor in by \
        `Simulation.onMainActor`.
        """
      )
    }
    lines.append(timeLine(isQuiet: lines.isEmpty))
    return lines
  }

  /// Whether there are more running fetches and runs than suspended calls of scripted fetches: then some wait
  /// for something that the simulation does not know.
  private var hasUnknownWait: Bool {
    guard readyJobs == 0, sleepers == 0 else { return false }
    return work.count { $0.activity == .running } > suspendedCalls + endlessCalls
  }

  private func timeLine(isQuiet: Bool) -> String {
    let time = "time stands at \(now)"
    let isWaitingForTime = sleepers > 0 || work.contains { $0.activity.isResting }
    guard let nextDeadline, isQuiet || isWaitingForTime else {
      return isQuiet ? "nothing is left to do; \(time)" : time
    }
    let distance = max(nextDeadline - now, .zero)
    return isWaitingForTime
      ? "\(time); the next thing happens in \(distance): `advance(by:)` moves it"
      : "nothing is left to do; \(time), and the next timer of a client is due in \(distance)"
  }

  private static func line(_ work: Liveness.Work) -> String {
    switch work.activity {
    case .running: "\(work.subject) runs"
    case .waitingForWork: "\(work.subject) runs, and waits for another fetch or run"
    case .resting(let time): "\(work.subject) waits \(time) for its next attempt"
    case .paused: "\(work.subject) is paused: it waits for the network or the app"
    case .queued: "\(work.subject) waits for the runs before it in its scope"
    }
  }
}

extension Liveness.Work.Activity {
  fileprivate var isResting: Bool {
    switch self {
    case .resting: true
    case .running, .waitingForWork, .paused, .queued: false
    }
  }
}
