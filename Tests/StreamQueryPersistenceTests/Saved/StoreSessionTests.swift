import StreamQueryTesting
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// When a store is read again, without the store.
struct StoreSessionTests {
  @Test("who asks while it is being read gets one more read at once, and no more than that")
  func askedMeanwhile() {
    var store = StoreSession(Persistence(in: MemoryStore()), rank: 0)
    for _ in 0..<2 {
      let wait = store.requestRetry()
      expectNil(wait)
    }
    var pauses: [Duration?] = []
    for _ in 0..<3 { pauses.append(store.readFailed(.denied).pause) }
    expectEqual(pauses, [.zero, .seconds(1), .seconds(2)])
    _ = store.requestRetry()
    // What can never be read is not asked for again.
    let last = store.readFailed(.otherVersion).pause
    expectNil(last)
  }
}
