import Testing

@testable import StreamQuery

@Suite struct SignalPortTests {
  // Law 3: what waits for a slow loop stays small.
  @Test func triggersOfAQueryThatWaitAlreadyAreOne() async throws {
    let port = SignalPort()
    let stream = try #require(port.open())
    let one = EntryKey(QueryKey<Int>("one"))
    let two = EntryKey(QueryKey<Int>("two"))
    for _ in 1...1_000 {
      port.send(.query(one))
      port.send(.query(two))
    }
    port.send(.time)
    var iterator = stream.makeAsyncIterator()
    var keys: [EntryKey] = []
    while case .query(let key) = await iterator.next()?.signal {
      port.took(key)
      keys.append(key)
    }
    #expect(keys == [one, two])
    // What was taken may be sent again.
    port.send(.query(one))
    port.finish()
    guard case .query(let key) = await iterator.next()?.signal else {
      Issue.record("the second trigger was lost")
      return
    }
    #expect(key == one)
    #expect(await iterator.next() == nil)
  }
}
