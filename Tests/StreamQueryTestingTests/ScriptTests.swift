import StreamQueryTesting
import Testing

struct ScriptTests {
  private struct Refused: Error {}

  @Test func stepsFollowEachOtherAndTheLastRepeats() throws {
    let simulation = Simulation()
    let fetch = ScriptedFetch(
      .value(1, after: .milliseconds(30)),
      .failure(Refused(), after: .milliseconds(5)),
      .value(3)
    )
    try expectEqual(simulation.run { try await fetch() }, 1)
    expectEqual(simulation.now, .milliseconds(30))
    #expect(throws: Refused.self) { try simulation.run { try await fetch() } }
    for _ in 0..<3 { try expectEqual(simulation.run { try await fetch() }, 3) }
    expectEqual(fetch.calls.map(\.outcome), [.value, .failure, .value, .value, .value])
    expectEqual(fetch.calls[1].start, .milliseconds(30))
    expectEqual(fetch.calls[1].end, .milliseconds(35))
    expectEqual(fetch.callCount, 5)
    expectEqual(fetch.runningCount, 0)
  }

  @Test(arguments: [
    ScriptedFetch<Int>(.never), .init(.suspended), .init(.value(1, after: .seconds(9))), .init(),
  ])
  func aCancelledCallThrowsAtOnce(fetch: ScriptedFetch<Int>) {
    let simulation = Simulation()
    let task = simulation.task { try await fetch() }
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.runningCount, 1)
    task.cancel()
    simulation.settle()
    expectEqual(fetch.calls.map(\.outcome), [.cancelled])
    expectEqual(fetch.calls[0].end, .seconds(1))
    expect(simulation.isIdle)
  }

  @Test func aStepThatIgnoresCancellationTakesItsTime() {
    let simulation = Simulation()
    let fetch = ScriptedFetch(.value(7, after: .seconds(2), ignoringCancellation: true))
    let task = simulation.task { try await fetch() }
    simulation.settle()
    task.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.runningCount, 1)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.calls.map(\.outcome), [.value])
    expectEqual(try? simulation.run { try await task.value }, 7)
  }

  @Test func suspendedCallsAreReleasedInOrder() throws {
    let simulation = Simulation()
    let fetch = ScriptedFetch<Int>(.suspended)
    expect(!fetch.release(returning: 0))
    let first = simulation.task { try await fetch() }
    let second = simulation.task { try await fetch() }
    simulation.settle()
    expectEqual(fetch.suspendedCount, 2)
    expect(fetch.release(returning: 1))
    expect(fetch.release(throwing: Refused()))
    try expectEqual(simulation.run { try await first.value }, 1)
    #expect(throws: Refused.self) { try simulation.run { try await second.value } }
  }

  @Test func recordingsStampElementsWithVirtualTime() {
    let simulation = Simulation()
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let recording = simulation.record(stream)
    simulation.task {
      continuation.yield("a")
      try? await simulation.clock.sleep(for: .seconds(2))
      continuation.yield("b")
      continuation.finish()
    }
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values, ["a"])
    expect(!recording.isFinished)
    simulation.advance(by: .seconds(5))
    expectEqual(
      recording.elements,
      [
        .init(time: .zero, element: "a"), .init(time: .seconds(2), element: "b"),
      ]
    )
    expect(recording.isFinished)
    expectNil(recording.failure)
  }

  @Test func aRecordingKeepsTheFailure() {
    let simulation = Simulation()
    let recording = simulation.record(AsyncThrowingStream<Int, any Error> { throw Refused() })
    simulation.settle()
    expect(recording.isFinished)
    #expect(recording.failure is Refused)
  }

  @Test func cancellingOrDroppingARecordingEndsIt() {
    let simulation = Simulation()
    let signal = ManualSignal(1)
    let cancelled = simulation.record(signal)
    var dropped: ResultRecording<Int>? = simulation.record(signal)
    simulation.settle()
    expectEqual(dropped?.values, [1])
    expectEqual(signal.consumerCount, 2)
    expect(simulation.isIdle)
    dropped = nil
    cancelled.cancel()
    simulation.settle()
    expectEqual(signal.consumerCount, 0)
    expect(cancelled.isFinished)
    expectNil(cancelled.failure)
  }

  @Test func everyConsumerOfASignalGetsThePresentValueAndEveryChange() {
    let simulation = Simulation()
    let signal = ManualSignal(true)
    let early = simulation.record(signal)
    simulation.settle()
    signal.send(false)
    signal.send(true)
    signal.send(true)
    let late = simulation.record(signal)
    simulation.settle()
    expectEqual(early.values, [true, false, true, true])
    expectEqual(late.values, [true])
    signal.finish()
    signal.send(false)
    simulation.settle()
    expect(early.isFinished)
    expect(late.isFinished)
    expect(signal.value)
  }
}
