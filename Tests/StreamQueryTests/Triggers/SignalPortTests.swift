import Testing

@testable import StreamQuery

@Suite struct SignalPortTests {
  // Law 3: what waits for a slow loop stays small.
  @Test func triggersOfAQueryThatWaitAlreadyAreOne() async {
    let port = SignalPort()
    #expect(port.open())
    #expect(!port.open())
    let one = EntryKey(QueryKey<Int>("one"))
    let two = EntryKey(QueryKey<Int>("two"))
    for _ in 1...1_000 {
      port.send(.query(one))
      port.send(.query(two))
    }
    port.send(.time)
    var batch: [SignalPort.Delivery] = []
    #expect(await port.take(into: &batch))
    let keys = batch.compactMap { delivery -> EntryKey? in
      if case .query(let key) = delivery.signal { key } else { nil }
    }
    #expect(keys == [one, two])
    #expect(batch.count == 3)
    // What was taken may be sent again, and is taken even after the end.
    port.took(one)
    port.send(.query(one))
    port.send(.query(two))
    port.finish()
    port.send(.time)
    batch = []
    #expect(await port.take(into: &batch))
    guard batch.count == 1, case .query(let key) = batch[0].signal else {
      Issue.record("the second trigger was lost")
      return
    }
    #expect(key == one)
    batch = []
    #expect(await port.take(into: &batch) == false)
  }
}
