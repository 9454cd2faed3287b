import StreamQueryTesting

/// A scenario where we differ from the reference on purpose.
struct Deviation: Sendable {
  var scenario: String
  var reason: String
  /// Our own trace, pinned as exactly as the reference's.
  var expected: JSON
}

/// What is compared with what.
enum Conformance {
  /// How one scenario fared.
  enum Verdict: Equatable {
    case passed
    case deviated
    case waiting(Set<Feature>)
    case failed(Difference)
  }

  static let deviations: [String: Deviation] = {
    let text = ScenarioFiles.read(ScenarioFiles.folder + "/Deviations.json") ?? "[]"
    let list = (try? JSON(parsing: text))?.array ?? []
    let deviations = list.map { json in
      Deviation(
        scenario: json["scenario"]?.string ?? "",
        reason: json["reason"]?.string ?? "",
        expected: json["expected"] ?? .null
      )
    }
    return Dictionary(deviations.map { ($0.scenario, $0) }, uniquingKeysWith: { $1 })
  }()

  /// Scenarios that still differ without a decision: none of them may pass unnoticed, and each goes
  /// from here into the engine or, with a reason, into the deviations.
  static let open: Set<String> = {
    let text = ScenarioFiles.read(ScenarioFiles.folder + "/Open.json") ?? "[]"
    let list = (try? JSON(parsing: text))?.array ?? []
    return Set(list.compactMap(\.string))
  }()

  /// Performs a scenario and compares.
  static func judge(_ scenario: Scenario, seed: UInt64 = 0) -> Verdict {
    let missing = scenario.features.intersection(Feature.missing)
    guard missing.isEmpty else { return .waiting(missing) }
    let deviation = deviations[scenario.name]
    let stage = Stage(scenario, seed: seed)
    let trace = stage.perform()
    if let violation = stage.violations.first ?? stage.simulation.failures.first {
      return .failed(
        Difference(time: 0, place: "runner", expected: "a performance", actual: violation)
      )
    }
    let expected = deviation?.expected ?? scenario.expected
    if let difference = Difference.first(
      expected: expected,
      actual: trace,
      until: scenario.until
    ) {
      return .failed(difference)
    }
    return deviation == nil ? .passed : .deviated
  }
}
