import Synchronization

/// Counts the claims of the tour, so that the exit code says whether all claims held.
final class Checks: Sendable {
  private let counts = Mutex((passed: 0, failed: 0))
  private let timeline: Timeline

  init(_ timeline: Timeline) {
    self.timeline = timeline
  }

  /// Prints a claim with its outcome, and counts it.
  func check(_ claim: String, _ holds: Bool, line: UInt = #line, file: String = #fileID) {
    counts.withLock {
      if holds { $0.passed += 1 } else { $0.failed += 1 }
    }
    timeline.note(holds ? "ok" : "FAILED", holds ? claim : "\(claim) (\(file):\(line))")
  }

  /// The numbers of claims that held, and of claims that did not.
  var totals: (passed: Int, failed: Int) { counts.withLock { $0 } }

  /// Prints the totals and returns the exit code: 0 when at least one claim was made and all held.
  func summary() -> Int32 {
    let (passed, failed) = totals
    print("\n\(passed) claims held, \(failed) did not")
    return failed == 0 && passed > 0 ? 0 : 1
  }
}
