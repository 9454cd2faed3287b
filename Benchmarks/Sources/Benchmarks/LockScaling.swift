import Foundation

/// Measures how calls of one cache scale to two threads, and computes what the model expects of 64.
struct LockScaling {
  /// The work of a request beside its hit, in nanoseconds.
  static let works = [0.0, 1_000, 10_000, 50_000]

  /// The least factor that two threads gain without a lock if two processors are free.
  static let leastGain = 1.8

  var cases: ServerCases

  func run(_ subjects: [ServerCases.Subject], _ write: (String) -> Void) async {
    // The duration of one step of work, in nanoseconds.
    let step = fastest(iterations: 100_000) { spin($0) }
    let order = shuffled(ServerCases.keyCount)
    var held: [Held] = []
    let control = await gain(order)
    write(
      "| work between hits, 10,000 keys | work | 1 thread, calls a second | 2 threads | model of 2 "
        + "| 8 threads |"
    )
    write("|---|---|---|---|---|---|")
    for subject in subjects {
      var time = 0.0
      for work in Self.works {
        let steps = Int(work / step)
        let times = await cases.fastest(subject, order, [1, 2, 8], work: steps)
        if work == 0 {
          time = LockModel.held(each: times[0], together: times[1], locks: subject.locks)
          held.append(Held(subject: subject, each: times[0], held: time))
        }
        let model = LockModel(held: time, work: max(0, times[0] - time), locks: subject.locks)
          .outcome(threads: 2)
        let rates = [1e9 / times[0], 1e9 / times[1], model.throughput, 1e9 / times[2]]
        write(
          "| \(subject.name) | \(Report.text(work, .nanoseconds)) | "
            + rates.map(ServerReport.count).joined(separator: " | ") + " |"
        )
      }
    }
    write("")
    let gained = String(format: "%.2f", control)
    guard control >= Self.leastGain else {
      // A forecast would take the time that other programs use the processors for time that the lock is held.
      write("No forecast: without any lock, two threads did only \(gained) times as much as one.")
      return
    }
    write("Without any lock, two threads did \(gained) times as much as one.\n")
    forecast(held.filter { $0.subject.name != ServerCases.control }, write)
  }

  /// How much more two threads do than one, if they share nothing but memory.
  private func gain(_ order: [Int]) async -> Double {
    guard let control = await ServerCases.hitSubjects([ServerCases.control]).first else { return 0 }
    let times = await cases.fastest(control, order, [1, 2])
    return times[0] / times[1]
  }

  private struct Held {
    var subject: ServerCases.Subject
    var each: Double
    var held: Double
  }

  /// Writes what 64 threads on as many processors would get, according to the model.
  private func forecast(_ held: [Held], _ write: (String) -> Void) {
    let works = [5_000.0, 10_000, 20_000, 50_000, 100_000]
    write(
      "| 64 threads by the model | a call alone | locks | held | most a second | half in use at |"
        + works.map { " in use, wait at \(Report.text($0, .nanoseconds)) |" }.joined()
    )
    write("|---|---|---|---|---|---|" + works.map { _ in "---|" }.joined())
    for one in held {
      let locks = one.subject.locksOfMany
      let half = LockModel.work(forUtilisation: 0.5, held: one.held, locks: locks, threads: 64)
      let cells = works.map { work -> String in
        let outcome = LockModel(held: one.held, work: work, locks: locks).outcome(threads: 64)
        let use = String(format: "%.0f %%", outcome.utilisation * 100)
        return " \(use), \(Report.text(outcome.wait, .nanoseconds)) |"
      }
      write(
        "| \(one.subject.name) | \(Report.text(one.each, .nanoseconds)) | \(locks) | "
          + "\(Report.text(one.held, .nanoseconds)) | "
          + "\(ServerReport.count(Double(locks) * 1e9 / one.held)) | "
          + "\(Report.text(half, .nanoseconds)) |" + cells.joined()
      )
    }
  }
}
