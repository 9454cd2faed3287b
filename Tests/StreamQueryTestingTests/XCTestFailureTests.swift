#if canImport(XCTest)
import StreamQueryTesting
import Synchronization
import XCTest

/// Run by XCTest itself: what fails there is asked of the case that fails.
final class XCTestFailureTests: XCTestCase {
  private let failures = Mutex<[String]>([])

  #if canImport(Darwin)
  override func record(_ issue: XCTIssue) {
    let place = issue.sourceCodeContext.location
    let text = "\(place?.fileURL.path ?? ""):\(place?.lineNumber ?? 0): \(issue.compactDescription)"
    failures.withLock { $0.append(text) }
  }
  #else
  override func recordFailure(
    withDescription description: String,
    inFile filePath: String,
    atLine lineNumber: Int,
    expected: Bool
  ) {
    failures.withLock { $0.append("\(filePath):\(lineNumber): \(description)") }
  }
  #endif

  func testAFailureOfASimulationFailsTheTestCaseThatRuns() {
    let place = "\(#filePath):\(#line + 1): "
    let simulation = Simulation()
    simulation.settle()
    let before = failures.withLock { $0 }
    // Driven from inside itself: a mistake that a simulation reports.
    simulation.run { simulation.settle() }
    let after = failures.withLock { recorded in
      defer { recorded = [] }
      return recorded
    }
    guard before.isEmpty, after.count == 1, after[0].hasPrefix(place),
      after[0].contains("driven from inside")
    else {
      fatalError("recorded were \(before) and \(after)")
    }
  }
}
#endif
