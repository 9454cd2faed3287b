import Synchronization

/// Collects what the tour claims, so that its exit code says whether all of it held.
final class Checks: Sendable {
  private let counts = Mutex((passed: 0, failed: 0))
  private let timeline: Timeline

  init(_ timeline: Timeline) {
    self.timeline = timeline
  }

  /// Prints the claim with its outcome and remembers it.
  func check(_ claim: String, _ holds: Bool, line: UInt = #line, file: String = #fileID) {
    counts.withLock {
      if holds { $0.passed += 1 } else { $0.failed += 1 }
    }
    timeline.note(holds ? "ok" : "FAILED", holds ? claim : "\(claim) (\(file):\(line))")
  }

  /// The claims that held and those that did not.
  var totals: (passed: Int, failed: Int) { counts.withLock { $0 } }

  /// Prints the totals and returns the exit code: 0 when at least one claim was made and all held.
  func summary() -> Int32 {
    let (passed, failed) = totals
    print("\n\(passed) claims held, \(failed) did not")
    return failed == 0 && passed > 0 ? 0 : 1
  }
}
