import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

struct MutationFieldsTests {
  private struct Broken: Error {}

  /// The snapshots of runs of a mutation, each after what was done.
  private func runs(
    _ steps: ScriptedFetch<Int>.Step...,
    isOnline: Bool = true
  ) -> [MutationRun<Int, Int>] {
    let simulation = Simulation()
    let online = ManualSignal(isOnline)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    // It knows whether it is online.
    simulation.settle()
    let work = ScriptedFetch(steps)
    let observer = client.observer(
      of: Mutation<Int, Int>("n") { _ in try await work() }.retry(
        .times(1).backoff(.constant(.seconds(1)))
      )
    )
    var runs = [observer.run]
    for _ in 0..<2 {
      observer.start(with: 1)
      runs.append(observer.run)
      simulation.settle()
      runs.append(observer.run)
      online.send(true)
      simulation.advance(by: .milliseconds(500))
      runs.append(observer.run)
      simulation.advance(by: .seconds(5))
      runs.append(observer.run)
    }
    return runs
  }

  private func changes(_ runs: [MutationRun<Int, Int>]) -> [MutationFields] {
    zip(runs, runs.dropFirst()).map { MutationFields($0, $1) }
  }

  @Test func aSuccessChangesWhatItHas() {
    let changes = changes(runs(.value(1, after: .seconds(2)), .value(1, after: .seconds(2))))
    expectEqual(
      changes,
      [
        [.status, .input, .failures], [], [], [.status, .output],
        // The next run has no output yet, and another input.
        [.status, .input, .output, .failures], [], [], [.status, .output],
      ]
    )
  }

  @Test func aFailureChangesTheErrorAndEachAttemptTheCount() {
    let changes = changes(runs(.failure(Broken()), .failure(Broken()), .value(1)))
    expectEqual(
      changes[..<4],
      [
        [.status, .input, .failures], [.failures], [], [.status, .error, .failures],
      ]
    )
    expect(changes[4].isSuperset(of: [.status, .input, .error, .failures]))
  }

  @Test func aPauseIsAPropertyOfItsOwn() {
    let changes = changes(runs(.value(1, after: .seconds(1)), .value(2), isOnline: false))
    #expect(changes[0].union(changes[1]).contains(.isPaused))
    expect(changes[2].contains(.isPaused) && !changes[2].contains(.status))
  }

  @Test func nothingChangesBetweenEqualSnapshots() {
    for run in runs(.value(1, after: .seconds(1)), .failure(Broken())) {
      expect(MutationFields(run, run).subtracting([.output, .error]).isEmpty)
    }
  }
}
