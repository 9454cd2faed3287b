import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ConformanceTests {
  @Test(arguments: ScenarioFiles.all.keys.sorted())
  func aScenarioShowsTheSameTraceAsTheReference(_ name: String) throws {
    let scenario = try #require(ScenarioFiles.all[name])
    let verdict = Conformance.judge(scenario)
    guard !Conformance.open.contains(name) else {
      #expect(verdict != .passed, "\(name) passes now: take it out of Open.json")
      return
    }
    if case .failed(let difference) = verdict { Issue.record("\(name): \(difference)") }
  }

  /// Runs the files of `STREAMQUERY_SCENARIOS`, with one line for each that fails.
  @Test(.enabled(if: ScenarioFolder.path != nil))
  func furtherScenariosShowTheSameTrace() throws {
    let path = try #require(ScenarioFolder.path)
    var (passed, failed, deviations) = (0, 0, 0)
    for scenario in ScenarioFiles.load(path) {
      switch Conformance.judge(scenario) {
      case .passed: passed += 1
      case .deviated: deviations += 1
      case .waiting(let features):
        failed += 1
        print("\(scenario.name): waits for \(features.map(\.rawValue).sorted())")
      case .failed(let difference):
        failed += 1
        print("\(scenario.name): \(difference)")
      }
    }
    print("\(passed) passed, \(failed) failed, \(deviations) deviations")
    #expect(failed == 0)
  }

  /// Prints our own trace of a scenario, to look at or to pin a deviation with.
  @Test(.enabled(if: ScenarioFolder.shownName != nil))
  func ourTraceIsShown() throws {
    let scenario = try #require(ScenarioFiles.all[ScenarioFolder.shownName ?? ""])
    print(Stage(scenario).perform())
  }
}

/// What the environment asks for.
enum ScenarioFolder {
  static let path = ProcessInfo.processInfo.environment["STREAMQUERY_SCENARIOS"]
  static let shownName = ProcessInfo.processInfo.environment["STREAMQUERY_SHOW_TRACE"]
}
