import StreamQuery
import StreamQueryPersistence
import Testing

/// With real threads.
struct AccountStressTests {
  @Test("however it is written to, closed and ended: when the end returns, nothing is left")
  func stress() async throws {
    let store = MemoryStore()
    let accounts = QueryAccounts(in: store) { _, configuration in
      var persistence = Persistence(in: store)
      persistence.throttle = .microseconds(50)
      configuration.persistence = persistence
    }
    let keys = (0..<20).map { QueryKey<String>("k", $0) }
    for round in 0..<100 {
      let account = try await accounts.open("ada")
      let writers = (0..<2).map { number in
        Task.detached {
          for key in keys { account.client.setData("\(round)-\(number)", for: key) }
        }
      }
      let closing = Task.detached { if round % 4 == 1 { try? await account.close() } }
      try await account.end()
      expectEmpty(store.load("account/ada").records)
      expectNil(account.client.data(for: keys[0]))
      await closing.value
      for writer in writers { await writer.value }
      expectEmpty(store.load("account/ada").records)
    }
    expectEmpty(store.load("accounts").records)
  }
}
