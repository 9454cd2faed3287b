#if canImport(XCTest)
import StreamQueryTesting
import Synchronization
import XCTest

/// Run by XCTest itself: what fails there is asked of the case that fails.
final class XCTestFailureTests: XCTestCase {
  private let failures = Mutex<[String]>([])

  #if canImport(Darwin)
  override func record(_ issue: XCTIssue) {
    failures.withLock { $0.append(issue.compactDescription) }
  }
  #else
  override func recordFailure(
    withDescription description: String,
    inFile filePath: String,
    atLine lineNumber: Int,
    expected: Bool
  ) {
    failures.withLock { $0.append(description) }
  }
  #endif

  func testAFailureOfASimulationFailsTheTestCaseThatRuns() {
    let simulation = Simulation()
    simulation.settle()
    let before = failures.withLock { $0 }
    // Driven from inside itself: a mistake that a simulation reports.
    simulation.run { simulation.settle() }
    let after = failures.withLock { recorded in
      defer { recorded = [] }
      return recorded
    }
    guard before.isEmpty, after.count == 1, after[0].contains("driven from inside") else {
      fatalError("recorded were \(before) and \(after)")
    }
  }
}
#endif
