import Testing

@testable import StreamQuery

struct SignalPortTests {
  // Law 3: what waits for a slow loop stays small.
  @Test func triggersOfAQueryThatWaitAlreadyAreOne() async {
    let port = SignalPort()
    expect(port.open())
    expect(!port.open())
    let one = EntryKey(QueryKey<Int>("one"))
    let two = EntryKey(QueryKey<Int>("two"))
    let (first, second) = (
      Signal.KeyTrigger(key: one, pacing: .off), Signal.KeyTrigger(key: two, pacing: .off)
    )
    for _ in 1...1_000 {
      port.send(.query(first))
      port.send(.query(second))
    }
    port.send(.time)
    await expectEqual(port.key(), one)
    // What was taken may be sent again, and is taken even after the end.
    port.send(.query(first))
    port.send(.query(second))
    port.finish()
    port.send(.time)
    await expectEqual(port.key(), two)
    guard case .time? = await port.next()?.signal else {
      Issue.record("the time was lost")
      return
    }
    await expectEqual(port.key(), one)
    await expectNil(port.key())
  }
}

extension SignalPort {
  /// The key of the next signal.
  fileprivate func key() async -> EntryKey? {
    if case .query(let trigger)? = await next()?.signal { trigger.key } else { nil }
  }
}
