@testable import StreamQuery
@testable import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct SelectTests {
  @Test func selectsFromEveryDataO14() {
    expectResults("p-X-(X*)-(Y)-|", of: "p-x-(x*)-y-|") { $0.select { $0.uppercased() } }
  }

  @Test func whatHasNoDataPassesUnchanged() {
    expectResults("(p*)-(!)-(!*)-(p=)|", of: "(p*)-(!)-(!*)-(p=)|") { $0.select { $0 + "?" } }
  }

  @Test func anErrorBesideDataStays() {
    expectResults("X-(X!)-(2:Y~)|", of: "x-(x!)-(2:y~)|") { $0.select { $0.uppercased() } }
  }

  @Test func aStandInIsSelectedAgainAfterAnErrorT17() {
    expectResults("(S*~)-(!)-(S*~)-X|", of: "(p*)-(!)-(p*)-x|") {
      $0.placeholder("s").select { $0.uppercased() }
    }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.select { $0.count } }
  }

  @Test func selectsOncePerDataT17() {
    let calls = Mutex<[String]>([])
    var step = _SelectStep { (text: String) in
      calls.withLock { $0.append(text) }
      return text.count
    }
    let results = ["p", "x", "x*", "x!", "x'", "y", "x"].map { step.take(Sample.result($0)) }
    expectEqual(calls.withLock { $0 }, ["x", "x", "y", "x"])
    let boxes = results.map { $0?.snapshot.data }
    #expect(boxes[1] === boxes[2] && boxes[2] === boxes[3])
    #expect(boxes[3] !== boxes[4])
  }

  @Test func changesTheType() {
    var step = _SelectStep<String, Int> { $0.count }
    let count: Int? = step.take(Sample.result("abc"))?.data
    expectEqual(count, 3)
  }

  private static let failing = { @Sendable (text: String) throws -> String in
    if text.hasPrefix("b") { throw SampleError(name: "!" + text) }
    return text.uppercased()
  }

  @Test func aThrowShowsAsAnErrorAndKeepsTheLastSelectionT17() {
    expectResults("p-X-(X!b)-(X!b*)-(X!bb)-Y-|", of: "p-x-b-(b*)-(bb)-y-|") {
      $0.select(Self.failing)
    }
  }

  @Test func aThrowOfTheFirstSelectionShowsNoDataT17() {
    expectResults("(!b)-(!b*)-Y-|", of: "b-(b*)-y-|") { $0.select(Self.failing) }
  }

  @Test func aThrowNeverShowsTheSelectionOfAnotherKeyT17() {
    expectResults("X-(2:!b)-(2:Y)-(2:Y!b)|", of: "x-(2:b)-(2:y)-(2:b)|") {
      $0.select(Self.failing)
    }
    expectResults("X-(2:p*)-(2:!b)|", of: "x-(2:p*)-(2:b)|") { $0.select(Self.failing) }
    expectResults("X-(2:X*~)-(2:!b)|", of: "x-(2:p*)-(2:b)|") {
      $0.keepPreviousData().select(Self.failing)
    }
    expectResults("X-(X!b)-(2:!b*)-(X!b)|", of: "x-b-(2:p*)-b|") {
      $0.keepPreviousData().select(Self.failing)
    }
  }

  @Test func aThrowNeverShowsTheSelectionFromBeforeAResetT17() {
    expectResults("X-p-(!b)-Y|", of: "x-p-b-y|") { $0.select(Self.failing) }
  }

  @Test func aThrowOnAStandInShowsNoPlaceholderT17() {
    expectResults("(!b*)-(!b*)-X|", of: "(p*)-(p*)-x|") {
      $0.placeholder("b").select(Self.failing)
    }
    // A stand-in that could be selected is none of what is shown beside the throw.
    expectResults("(S*~)-(!b*)-(S*~)|", of: "(s*~)-(b*~)-(s*~)|") { $0.select(Self.failing) }
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("b", fetch: ScriptedFetch(.value("x", after: .seconds(1))))
      .placeholder("b")
    let recording = simulation.record(client.stream(query).select(Self.failing))
    simulation.advance(by: .seconds(2))
    #expect(recording.summaries == [.failure(SampleError(name: "!b"), .fetching), .success("X")])
    expectEqual(recording.values.map(\.isPlaceholderData), [false, false])
    expect(recording.values[0].data == nil && recording.values[0].isLoadingError)
  }

  @Test func whatAStandInShowedDoesNotStayBesideAThrowT17() {
    expectResults("(S*~)-(!b)-(!b*)-X-(X!b)|", of: "(s*~)-b-(b*)-x-b|") {
      $0.select(Self.failing)
    }
  }

  @Test func aThrowIsNotRepeatedForTheSameDataT17() {
    let calls = Mutex(0)
    var step = _SelectStep { (text: String) throws -> Int in
      calls.withLock { $0 += 1 }
      throw SampleError(name: text)
    }
    let errors = ["x", "x*", "x"].map { step.take(Sample.result($0))?.snapshot.error }
    expectEqual(calls.withLock { $0 }, 1)
    #expect(errors[0] === errors[1] && errors[1] === errors[2])
  }

  @Test func aThrowHidesTheErrorOfTheQuery() {
    expectResults("(!b)-(X!)|", of: "(b!)-(x!)|") { $0.select(Self.failing) }
  }

  @Test func aThrowIsSeenOnThisStreamAloneT17() {
    let simulation = Simulation(seed: 3)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .seconds(1)), .value(2, after: .seconds(1)))
    let query = Query("n", fetch: fetch)
    let selecting = simulation.record(
      client.stream(query).select { number throws -> String in
        if number == 1 { throw SampleError(name: "bad") }
        return "\(number)"
      }
    )
    let plain = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    simulation.task("again") { await client.invalidate(query) }
    simulation.advance(by: .seconds(2))
    #expect(
      selecting.timeline == [
        .init(at: .zero, .pending(isFetching: true)),
        .init(at: .seconds(1), .failure(SampleError(name: "bad"))),
        .init(at: .seconds(2), .failure(SampleError(name: "bad"), .fetching)),
        .init(at: .seconds(3), .success("2")),
      ]
    )
    expectEqual(selecting.values[1].errorUpdatedAt, selecting.values[1].dataUpdatedAt)
    expectEqual(selecting.values[1].errorUpdateCount, 0)
    #expect(
      plain.summaries == [
        .pending(isFetching: true), .success(1), .success(1, isFetching: true), .success(2),
      ]
    )
    expectEqual(client.data(for: query), 2)
  }
}
