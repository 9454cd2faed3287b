import StreamQuery
import Testing

@testable import StreamQueryTesting

struct SnapshotsTests {
  private func difference(_ recorded: [Int], _ expected: [Int]) -> String {
    SnapshotDifference(recorded: recorded, expected: expected) { "\($0)" }.text
  }

  @Test func whatDiffersIsMarked() {
    #expect(difference([1, 2, 3], [1, 4, 3]) == "    1\n  - 4\n  + 2\n    3")
    #expect(difference([1, 2], [1]) == "    1\n  + 2")
    #expect(difference([1], [0, 1]) == "  - 0\n    1")
    #expect(difference([], [1, 2]) == "  - 1\n  - 2")
  }

  @Test func longRunsOfEqualSnapshotsAreCut() {
    let expected = Array(0..<20) + [100] + Array(20..<40)
    #expect(
      difference(Array(0..<40), expected)
        == """
            … 17 that are as expected
            17
            18
            19
          - 100
            20
            21
            22
            … 17 that are as expected
        """
    )
  }

  /// Both sides can be read off the lines, whatever the sequences are.
  @Test func theLinesAreBothSequences() {
    var sequences: [[Int]] = [[]]
    for _ in 0..<4 { sequences += sequences.flatMap { [$0 + [0], $0 + [1]] } }
    for recorded in Set(sequences) {
      for expected in Set(sequences) {
        let lines = SnapshotDifference(recorded: recorded, expected: expected) { "\($0)" }.lines
        let first = lines.compactMap { line -> String? in
          if case .missing = line { nil } else { line.text }
        }
        let second = lines.compactMap { line -> String? in
          if case .extra = line { nil } else { line.text }
        }
        #expect(first == recorded.map(String.init))
        #expect(second == expected.map(String.init))
      }
    }
  }

  // MARK: Recordings

  private let simulation = Simulation()

  private func record(_ steps: ScriptedFetch<Int>.Step...) -> ResultRecording<QueryResult<Int>> {
    let client = QueryClient(simulation: simulation)
    return simulation.record(client.stream(Query("n", fetch: ScriptedFetch(steps))))
  }

  @Test func aFailedExpectationPrintsLinesAndMarks() {
    let recording = record(.value(1, after: .milliseconds(30)))
    simulation.advance(by: .seconds(1))
    withKnownIssue {
      #expect(recording.summaries == [.pending(isFetching: true), .success(2)])
    } matching: { issue in
      let text = "\(issue)"
      return text.contains("\n    .pending fetching\n  - .success 2\n  + .success 1\n")
        && text.contains("nothing is left to do; time stands at 1.0 seconds")
    }
  }

  @Test func soDoesOneOfTheLastOrFirstSnapshot() {
    let recording = record(.value(1, after: .milliseconds(30)))
    simulation.settle()
    withKnownIssue {
      #expect(recording.summaries.last == .success(1))
    } matching: { issue in
      let text = "\(issue)"
      return text.contains(".pending fetching\nWhat is pending:\n- a fetch of [\"n\"] runs")
        && text.contains("the next thing happens in 0.03 seconds: `advance(by:)` moves it")
    }
    withKnownIssue {
      #expect(recording.timeline.last != TimedSummary(at: .zero, .pending(isFetching: true)))
    } matching: {
      "\($0)".contains("What is pending:")
    }
    withKnownIssue {
      #expect(recording.summaries.first == nil)
    } matching: {
      "\($0)".contains("What is pending:")
    }
  }

  @Test func anEndIsComparedAndReadLikeTheSnapshotItself() {
    let recording = record(.value(1, after: .milliseconds(30)))
    #expect(recording.summaries.last == nil && recording.summaries.first == nil)
    #expect("\(recording.summaries.last as SnapshotEnd)" == "no snapshot")
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries.last == .success(1))
    #expect(recording.summaries.last != .success(2))
    #expect(recording.summaries.last?.data == 1)
    let last: ResultSummary<Int>? = recording.summaries.last
    #expect(last == .success(1))
    #expect(recording.summaries.first == .pending(isFetching: true))
    #expect(recording.summaries.last.element == last)
    #expect("\(recording.summaries.last as SnapshotEnd)" == ".success 1")
  }

  @Test func aSimulationSaysWhatItWaitsFor() {
    let recording = record(.value(1, after: .milliseconds(30)))
    simulation.settle()
    let name = recording.values.last?.data
    withKnownIssue {
      #expect(name == 1, "\(simulation)")
    } matching: {
      "\($0)".contains("What is pending:\n- a fetch of [\"n\"] runs")
    }
  }

  @Test func soDoesOneOfATimeline() {
    let recording = record(.value(1, after: .milliseconds(30)))
    simulation.advance(by: .seconds(1))
    withKnownIssue {
      #expect(
        recording.timeline == [
          TimedSummary(at: .zero, .pending(isFetching: true)),
          TimedSummary(at: .milliseconds(40), .success(1)),
        ]
      )
    } matching: {
      "\($0)".contains("\n  - 0.04 seconds .success 1\n  + 0.03 seconds .success 1\n")
    }
  }

  @Test func aForgottenAdvanceIsNamed() {
    let recording = record(.value(1, after: .milliseconds(300)))
    simulation.settle()
    withKnownIssue {
      #expect(recording.summaries == [.pending(isFetching: true), .success(1)])
    } matching: {
      "\($0)".contains(
        """
        What is pending:
        - a fetch of ["n"] runs
        - time stands at 0.0 seconds; the next thing happens in 0.3 seconds: `advance(by:)` moves it
        """
      )
    }
  }

  @Test func aRecordingSaysWhatItHasSeenAndWaitsFor() {
    let simulation = Simulation()
    let ticks = ManualSignal<Int>(1)
    let recording = simulation.record(ticks)
    simulation.advance(by: .milliseconds(5))
    ticks.send(2)
    simulation.settle()
    #expect(
      recording.description == """
        goes on after 2 elements:
            0.0 seconds 1
            0.005 seconds 2
        What is pending:
        - nothing is left to do; time stands at 0.005 seconds
        """
    )
    ticks.finish()
    simulation.settle()
    #expect(recording.description.hasPrefix("finished after 2 elements:\n    0.0 seconds 1\n"))
    #expect(!recording.description.contains("pending"))
  }

  @Test func aRecordingOfAClientMadeWithoutTheSimulationIsNamed() {
    let client = QueryClient(configuration: .server)
    let event = OutsideEvent()
    let query = Query("n") { try await event.value() }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    let summaries = recording.summaries
    #expect(summaries != [.pending(isFetching: true), .success(1)])
    #expect(summaries.description.contains("news of [\"n\"], at a client that was made without"))
    recording.cancel()
    simulation.settle()
    client.shutDown()
  }

  @Test func aFinishedRecordingWaitsForNothing() {
    let recording = record(.value(1))
    simulation.settle()
    recording.cancel()
    simulation.settle()
    let summaries = recording.summaries
    #expect(summaries != [])
    #expect(summaries.description.contains("not as expected"))
    #expect(!summaries.description.contains("pending:"))
  }

  @Test func theyAreComparedWithArraysAndEachOther() {
    let first = record(.value(1, after: .milliseconds(30)))
    let second = record(.value(1, after: .milliseconds(30)))
    simulation.advance(by: .seconds(1))
    let expected: [ResultSummary<Int>] = [.pending(isFetching: true), .success(1)]
    #expect(first.summaries == expected)
    #expect(first.summaries == second.summaries)
    #expect(first.summaries != [expected[0]])
    #expect(first.timeline.map(\.summary) == expected)
    #expect(first.summaries.dropFirst() == [.success(1)])
    #expect(Array(first.summaries) == expected)
    let text = "2 snapshots:\n    .pending fetching\n    .success 1"
    #expect(CollectedSnapshots(expected).description == text)
    #expect(CollectedSnapshots<Int>([]).description == "0 snapshots")
  }
}
