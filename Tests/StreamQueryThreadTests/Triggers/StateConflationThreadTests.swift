import Testing

@testable import StreamQuery

/// A listener that is left twice, by its task and by its release, while another one stays.
struct StateConflationThreadTests {
  private let system = ScriptedSystem(present: nil)
  private let shared: SharedState

  init() {
    shared = SharedState(start: system.start)
  }

  @Test func leavingTwiceIsLeavingOnce() async {
    let grace = shared.subscribe()
    do {
      let ada = shared.subscribe()
      let wait = Task { await ada.next(isolation: nil) }
      wait.cancel()
      await expectNil(wait.value)
      expectEqual(shared.subscriberCount, 1)
    }
    expectEqual(shared.subscriberCount, 1)
    expectEqual(system.counts, .init(starts: 1, stops: 0))
    withExtendedLifetime(grace) {}
  }
}
