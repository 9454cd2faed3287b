import StreamQueryTesting

/// A scenario where we differ from the reference on purpose.
struct Deviation: Sendable {
  var scenario: String
  var reason: String
  /// Whether the recording does not call what it shows an accident.
  var isUntagged: Bool
  /// The scenario about one rule that shows the same difference.
  var like: String?
  /// The rule of DIFFERENCES.md, where no scenario is about it alone.
  ///
  /// Without this and ``like`` the reason names a law.
  var rule: String?
  /// Our own trace, pinned as exactly as the reference's.
  var expected: JSON
}

/// What is compared with what.
enum Conformance {
  /// How one scenario fared.
  enum Verdict: Equatable {
    case passed
    case deviated
    case failed(Difference)
  }

  /// Accidents of the reference that we do better.
  static let deviations = load("Deviations.json")

  /// Random scenarios in which the reference shows what the library's contract forbids.
  static let conflicts = load("Conflicts.json")

  /// Performs a scenario and compares.
  static func judge(_ scenario: Scenario, seed: UInt64 = 0) -> Verdict {
    // Scenarios of other folders may have names of ours and do something else.
    let isOurs = ScenarioFiles.all[scenario.name]?.performance == scenario.performance
    let deviation = isOurs ? deviations[scenario.name] ?? conflicts[scenario.name] : nil
    if let problem = ScenarioFormat.problems(of: scenario.json).first {
      return .failed(
        Difference(time: 0, place: "format", expected: "what FORMAT.md knows", actual: problem)
      )
    }
    let stage = Stage(scenario, seed: seed)
    let trace = stage.perform()
    if let violation = stage.violations.first ?? stage.simulation.failures.first {
      return .failed(
        Difference(time: 0, place: "runner", expected: "a performance", actual: violation)
      )
    }
    let expected = deviation?.expected ?? scenario.expected
    // Recorded is the order of the reference's one thread; other schedules have others.
    let isOrdered = seed == 0
    if let difference = Difference.first(
      expected: isOrdered ? expected : expected.withOrderedInstants,
      actual: isOrdered ? trace : trace.withOrderedInstants,
      until: scenario.until
    ) {
      return .failed(difference)
    }
    return deviation == nil ? .passed : .deviated
  }

  private static func load(_ file: String) -> [String: Deviation] {
    let text = ScenarioFiles.read(ScenarioFiles.folder + "/" + file) ?? "[]"
    let list = (try? JSON(parsing: text))?.array ?? []
    let deviations = list.map { json in
      Deviation(
        scenario: json["scenario"]?.string ?? "",
        reason: json["reason"]?.string ?? "",
        isUntagged: json["untagged"]?.bool ?? false,
        like: json["like"]?.string,
        rule: json["rule"]?.string,
        expected: json["expected"] ?? .null
      )
    }
    return Dictionary(deviations.map { ($0.scenario, $0) }, uniquingKeysWith: { $1 })
  }
}
