import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ConformanceTests {
  @Test(arguments: ScenarioFiles.all.keys.sorted())
  func aScenarioShowsTheSameTraceAsTheReference(_ name: String) throws {
    let scenario = try #require(ScenarioFiles.all[name])
    if case .failed(let difference) = Conformance.judge(scenario) {
      Issue.record("\(name): \(difference)")
    }
  }

  @Test(arguments: [3, 11] as [UInt64])
  func theScheduleOfTheSimulationDoesNotMatter(_ seed: UInt64) {
    for name in ScenarioFiles.all.keys.sorted() {
      guard let scenario = ScenarioFiles.all[name], !scenario.expected.hasRacingMutations
      else { continue }
      if case .failed(let difference) = Conformance.judge(scenario, seed: seed) {
        Issue.record("\(name): \(difference)")
      }
    }
  }

  // What the recorded files say nothing about: made by hand, of what FORMAT.md says.
  @Test(arguments: ScenarioFiles.load(ScenarioFiles.folder + "/Further").map(\.name))
  func whatTheFormatSaysIsPerformed(_ name: String) throws {
    let files = ScenarioFiles.load(ScenarioFiles.folder + "/Further")
    let scenario = try #require(files.first { $0.name == name }?.scenario)
    for seed: UInt64 in scenario.expected.hasRacingFetches ? [0] : [0, 3, 11] {
      if case .failed(let difference) = Conformance.judge(scenario, seed: seed) {
        Issue.record("\(name), seed \(seed): \(difference)")
      }
    }
  }

  @Test(arguments: ["/Scenarios", "/Random"]) func everyFileIsAScenario(_ folder: String) {
    let files = ScenarioFiles.load(ScenarioFiles.folder + folder)
    expect(!files.isEmpty)
    for file in files { expect(file.scenario != nil, "\(file.name) \(file.problem)") }
  }

  @Test func deviationsAreAboutAccidentsOfTheReferenceAndReal() throws {
    expect(!Conformance.deviations.isEmpty)
    for (name, deviation) in Conformance.deviations {
      let scenario = try #require(ScenarioFiles.all[name])
      expect(scenario.tags.contains("reference-quirk") != deviation.isUntagged, "\(name)")
      #expect(!ScenarioFiles.random.contains(name))
      try Self.expectReal(deviation, scenario)
    }
  }

  @Test func conflictsAreRandomAndNameTheLawOrTheRule() throws {
    for (name, conflict) in Conformance.conflicts {
      #expect(ScenarioFiles.random.contains(name))
      if let like = conflict.like {
        expect(Conformance.deviations[like] != nil, "\(name) is like \(like)")
      } else if let rule = conflict.rule {
        expect(DocumentedDifference(rawValue: rule) != nil, "\(name): \(rule)")
      } else {
        #expect(conflict.reason.contains("law"))
      }
      try Self.expectReal(conflict, #require(ScenarioFiles.all[name]))
    }
  }

  private static func expectReal(_ deviation: Deviation, _ scenario: Scenario) throws {
    #expect(deviation.reason.count > 40)
    let difference = Difference.first(
      expected: scenario.expected,
      actual: deviation.expected,
      until: scenario.until
    )
    expect(difference != nil, "\(scenario.name) shows what the reference shows")
  }

  // Whoever performs scenarios of their own is told what a failure may be.
  @Test func everyPinnedDifferenceIsOneThatIsDescribed() throws {
    let pinned = Conformance.deviations.merging(Conformance.conflicts) { $1 }
    for (name, deviation) in pinned {
      let scenario = try #require(ScenarioFiles.all[name])
      let difference = try #require(
        Difference.first(
          expected: scenario.expected,
          actual: deviation.expected,
          until: scenario.until
        )
      )
      let named = DocumentedDifference.candidates(for: scenario, difference)
      expect(!named.isEmpty, "\(name): \(difference)")
    }
  }

  @Test func everyDifferenceIsDescribedAndTheNumbersAreTrue() throws {
    let differences = try flatText("DIFFERENCES.md")
    for difference in DocumentedDifference.allCases {
      #expect(differences.contains("**\(difference.rawValue)"), "\(difference)")
    }
    let articles = "../../Sources/StreamQuery/StreamQuery.docc/"
    let all = ScenarioFiles.all.count
    let random = ScenarioFiles.random.count
    let pinned = Conformance.deviations.count + Conformance.conflicts.count
    for path in [articles + "ComingFromTanStackQuery.md", "../../README.md"] {
      let text = try flatText(path)
      #expect(text.contains("\(all) recorded scenarios, \(random) of them random"))
      #expect(text.contains("\(all - pinned) show the same trace"))
      #expect(text.contains("other \(pinned) differ on purpose"))
    }
  }

  /// A text beside the scenarios as one line.
  private func flatText(_ path: String) throws -> String {
    let text = try #require(ScenarioFiles.read(ScenarioFiles.folder + "/" + path))
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Runs the files of `STREAMQUERY_SCENARIOS`, with one line for each that fails, and one that names
  /// the documented differences that it may be.
  @Test(.enabled(if: Asked.folder != nil))
  func furtherScenariosShowTheSameTrace() throws {
    let folder = try #require(Asked.folder)
    let files = ScenarioFiles.load(folder)
    expect(!files.isEmpty, "no scenarios in \(folder)")
    var (passed, failed, deviations) = (0, 0, 0)
    for file in files {
      guard let scenario = file.scenario else {
        failed += 1
        print("\(file.name): \(file.problem)")
        continue
      }
      switch Conformance.judge(scenario) {
      case .passed: passed += 1
      case .deviated: deviations += 1
      case .failed(let difference):
        failed += 1
        let line = difference.description.split(whereSeparator: \.isNewline)
        print("\(file.name): \(line.joined(separator: " "))")
        let known = DocumentedDifference.candidates(for: scenario, difference).map(\.rawValue)
        if !known.isEmpty { print("  documented: \(known.joined(separator: " / "))") }
      }
    }
    print("\(passed) passed, \(failed) failed, \(deviations) deviations")
    expectEqual(failed, 0)
  }

  /// Prints our own traces of scenarios, to look at or to pin deviations with; `random-7` is the
  /// random scenario of seed 7, and what has a slash in it is a file.
  @Test(.enabled(if: !Asked.shownNames.isEmpty))
  func ourTracesAreShown() throws {
    for name in Asked.shownNames {
      let seed = name.hasPrefix("random-") ? UInt64(name.dropFirst(7)) : nil
      var generator = ScenarioGenerator(seed: seed ?? 0)
      let scenario =
        try name.contains("/")
        ? Scenario(parsing: #require(ScenarioFiles.read(name)))
        : seed == nil
          ? #require(ScenarioFiles.all[name]) : generator.scenario(named: name)
      if seed != nil { print("scenario \(name): \(scenario.json)") }
      print("trace of \(name): \(Stage(scenario).perform())")
    }
  }
}

/// What the environment asks for.
enum Asked {
  /// A folder of further scenarios.
  static let folder = ProcessInfo.processInfo.environment["STREAMQUERY_SCENARIOS"]
  /// Names of scenarios whose traces are to be shown.
  static let shownNames =
    (ProcessInfo.processInfo.environment["STREAMQUERY_SHOW_TRACE"] ?? "")
    .split(separator: ",").map(String.init)
}
