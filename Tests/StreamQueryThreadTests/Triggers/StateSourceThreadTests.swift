import StreamQuery
import Testing

/// A task that listens to a caller's own source ends when it is cancelled.
struct StateSourceThreadTests {
  @Test func aCancelledListenerLeavesASequenceThatObeysCancellation() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let connectivity = Connectivity { stream }
    let listening = Task { await heard(connectivity.states()) }
    listening.cancel()
    await expectEqual(listening.value, [])
    continuation.finish()
  }
}

private func heard(_ states: some AsyncSequence<Bool, Never>) async -> [Bool] {
  var heard: [Bool] = []
  for await state in states { heard.append(state) }
  return heard
}
