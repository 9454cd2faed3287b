import StreamQuery
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A wall clock that is set, and a clock whose time runs back.
struct ClockJumpTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  @Test(arguments: [Duration.seconds(1_000_000), .seconds(-1_000_000)])
  func aJumpOfTheWallClockChangesDatesAndNoAge(jump: Duration) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(10)))
    )
    simulation.advance(by: .seconds(5))
    simulation.setWallClock(offset: jump)
    simulation.advance(by: .milliseconds(4_999))
    expectEqual(recording.values.last?.isStale, false)
    expectEqual(client.diagnostics().map(\.age), [.milliseconds(9_999)])
    simulation.advance(by: .milliseconds(1))
    expectEqual(recording.values.last?.isStale, true)
    client.setData(2, for: key)
    let shown = client.result(for: key).dataUpdatedAt
    expectEqual(shown, Simulation.startDate + 10 + Double(jump.components.seconds))
  }
}

/// A clock whose time a test sets, also backwards; its sleeps are the simulation's.
struct JumpingClock: Clock {
  typealias Instant = SimulationClock.Instant

  let base: SimulationClock
  let offset: Dial<Duration>

  var now: Instant { base.now.advanced(by: offset.value) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline.advanced(by: .zero - offset.value), tolerance: nil)
  }
}

struct JumpingClockTests {
  @Test func timeNeverRunsBackAndNothingIsShownTwice() {
    let simulation = Simulation(seed: 29)
    let offset = Dial(Duration.zero)
    let client = QueryClient(simulation: simulation) {
      $0.clock = JumpingClock(base: simulation.clock, offset: offset)
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(10)))
    )
    simulation.advance(by: .seconds(9))
    expectEqual(recording.values.map(\.isStale), [true, false].suffix(recording.values.count))
    let seen = recording.values.count
    offset.value = .seconds(-100)
    client.setData(2, for: "m")
    simulation.advance(by: .milliseconds(500))
    expectEqual(recording.values.count, seen)
    #expect(client.diagnostics("n").allSatisfy { ($0.age ?? .seconds(-1)) >= .zero })
    offset.value = .seconds(1_000)
    client.setData(3, for: "m")
    simulation.advance(by: .seconds(2))
    expectEqual(recording.values.last?.isStale, true)
    offset.value = .seconds(-1_000_000)
    recording.cancel()
    simulation.advance(by: .seconds(1))
    #expect(simulation.leakReport().allSatisfy { $0.hasPrefix("sleepers") })
    simulation.shutDown()
  }
}
