import StreamQuery
import StreamQueryTesting
import Testing

struct RandomScenarioTests {
  private static func scenario(_ seed: UInt64) -> Scenario {
    var generator = ScenarioGenerator(seed: seed)
    return generator.scenario(named: "random-\(seed)")
  }

  /// The traces at every instant at which nothing more happens without time.
  private static func traces(_ scenario: Scenario, seed: UInt64) -> [String] {
    var traces: [String] = []
    let trace = Stage(scenario, seed: seed).perform { traces.append($0.present.description) }
    return traces + [trace.withOrderedInstants.description]
  }

  @Test(arguments: Seeds.few(1))
  func everyScheduleShowsTheSameTraceWheneverNothingMoreHappens(_ block: UInt64) {
    for seed in (block * 25)..<(block * 25 + UInt64(Seeds.times(25, orElse: 10))) {
      let scenario = Self.scenario(seed)
      let expected = Self.traces(scenario, seed: 0)
      if expected.last.flatMap({ try? JSON(parsing: $0) })?.hasRacingMutations == true { continue }
      for schedule: UInt64 in [1, 7, 42] {
        let actual = Self.traces(scenario, seed: schedule)
        guard actual != expected, let difference = Self.difference(expected, actual) else {
          continue
        }
        Issue.record("scenario \(seed), schedule \(schedule), \(difference)")
        break
      }
    }
  }

  /// The first difference that is not one of order.
  private static func difference(_ expected: [String], _ actual: [String]) -> String? {
    for (index, (left, right)) in zip(expected, actual).enumerated() where left != right {
      guard let left = try? JSON(parsing: left), let right = try? JSON(parsing: right),
        let difference = Difference.first(expected: left, actual: right, until: -1)
      else { continue }
      return "instant \(index): \(difference)"
    }
    return expected.count == actual.count ? nil : "unlike numbers of instants"
  }

  @Test func aTraceIsRepeatedByteForByte() {
    for seed in Seeds.few(2).map({ 1_000 + $0 }) {
      let scenario = Self.scenario(seed)
      expectEqual(Self.traces(scenario, seed: seed), Self.traces(scenario, seed: seed))
    }
  }

  @Test(arguments: Seeds.few(1))
  func whatIsSeenIsInOrderWheneverNothingMoreHappens(_ block: UInt64) {
    for seed in (2_000 + block * 25)..<(2_000 + block * 25 + 25) {
      var broken: [String] = []
      weak var released: Stage?
      do {
        let stage = Stage(Self.scenario(seed), seed: seed)
        released = stage
        _ = stage.perform { broken += Self.violations($0) }
        broken += stage.violations + stage.simulation.failures
      }
      if released != nil { broken.append("its stage is never released") }
      if let first = broken.first { Issue.record("scenario \(seed): \(first)") }
    }
  }

  private static func violations(_ stage: Stage) -> [String] {
    var broken: [String] = []
    let live = stage.observers.values.filter(\.isLive)
    for (name, client) in stage.clients {
      let infos = client.diagnostics()
      let count =
        live.count { $0.client == name }
        + stage.groups.values.filter { $0.isLive && $0.client == name }
        .reduce(0) { $0 + $1.queries.count }
      if infos.reduce(0, { $0 + $1.observerCount }) != count {
        broken.append("observers are not the consumers: \(count)")
      }
      for info in infos {
        if info.error is CancellationError { broken.append("a cancellation is an error") }
        if info.fetchStatus == .fetching, info.cause == nil {
          broken.append("a fetch without a cause")
        }
        if info.status == .success, info.data == nil { broken.append("success without data") }
        if info.fetchStatus == .idle, info.waiterCount > 0 {
          broken.append("somebody waits for nothing: \(info.key)")
        }
      }
      let fetching = infos.count { $0.fetchStatus == .fetching }
      if client.fetchingCount() != fetching { broken.append("fetches are miscounted") }
    }
    for watch in live {
      guard let last = watch.raw.results.last else { continue }
      if snapshot(last) != watch.result {
        broken.append("an observer of \(watch.options["key"] ?? []) missed the newest state")
      }
    }
    for group in stage.groups.values where group.isLive {
      guard let last = group.recording.elements.last?.element else { continue }
      if stage.groupSnapshot(last) != stage.groupSnapshot(group.observer.results) {
        broken.append("a group missed the newest state")
      }
    }
    for mutation in stage.mutations.values where mutation.isLive {
      guard let last = mutation.recording.elements.last?.element else { continue }
      if snapshot(last) != snapshot(mutation.handle.run) {
        broken.append("a mutation's handle missed the newest state")
      }
    }
    for client in stage.clients.values {
      let pending = client.mutations(.pending).count
      if client.mutatingCount() != pending { broken.append("mutations are miscounted") }
    }
    return broken
  }
}
