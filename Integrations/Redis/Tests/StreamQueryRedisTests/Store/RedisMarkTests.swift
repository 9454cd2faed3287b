import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

extension ServerSuite {
  /// What is remembered of marks.
  struct RedisMarkTests {
    let key = SharedKey("k", marks: [SharedMark("m")])
    let value = SharedValue([1], form: "f")

    /// Invalidates so many marks that nobody has, about a thousand at once.
    private func invalidate(_ numbers: Range<Int>, _ store: RedisStore) async throws {
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
        let end = min(start + 1_000, numbers.upperBound)
        _ = try await store.invalidate((start..<end).map { SharedMark("u\($0)") })
      }
    }

    @Test func onlyTheOldestMarksAreForgottenWhenThereAreMany() async throws {
      let server = try TestServer()
      let store = RedisStore(server.endpoint, namespace: "test")
      let old = SharedKey("old", marks: [SharedMark("o")])
      _ = try await store.write(value, for: old, lifetime: .seconds(600))
      try await invalidate(0..<10_000, store)
      _ = try await store.write(value, for: key, lifetime: .seconds(600))
      let gone = SharedKey("gone", marks: [SharedMark("g")])
      _ = try await store.write(value, for: gone, lifetime: .seconds(600))
      _ = try await store.invalidate(gone.marks)
      let lease = try await lead(store, SharedKey("l", marks: [SharedMark("l")]))
      try await invalidate(10_000..<263_000, store)
      // What is younger than all that is forgotten stays.
      guard case .entry = try await ask(store, key) else {
        Issue.record("an entry is gone whose marks nobody invalidated")
        return
      }
      #expect(try await store.renew(lease, for: .seconds(60)))
      // What is older may have been invalidated by what is forgotten.
      _ = try await lead(store, old)
      // And what was invalidated stays so, whether it is remembered or forgotten.
      let waiting = try await lead(store, gone)
      try await store.abandon(waiting, failure: nil)
      try await invalidate(263_000..<290_000, store)
      _ = try await lead(store, gone)
      let marks = try await tell(server, "ZCARD", "{test}:sq1:marks").number ?? 0
      #expect(marks <= 262_144)
      #expect(marks > 250_000)
      await store.close()
    }
  }
}
