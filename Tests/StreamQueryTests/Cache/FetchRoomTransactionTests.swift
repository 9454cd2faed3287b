import Testing

@testable import StreamQuery

/// What transactions begin where only so many fetches run at a time, without a client.
struct FetchRoomTransactionTests {
  private let driver = CacheDriver()
  private let names = ["a", "b", "c", "d"]

  /// The keys of the attempts that the last transactions have begun, in order.
  private func begun() -> [String] {
    var batch = ActionQueue<Action>.Batch()
    _ = driver.state.actionQueue.transactionEnded(
      since: 0,
      on: .current,
      isLow: false,
      into: &batch
    )
    defer {
      batch.wasPerformed(to: batch.items.count)
      _ = driver.state.actionQueue.performed(&batch, on: .current)
    }
    return batch.items.compactMap { action in
      if case .start(let job, _) = action { job.key.key.description } else { nil }
    }
  }

  /// Ends a transaction as the cache does.
  private func fill() { driver.state.admitWaitingFetches(&driver.transaction) }

  init() {
    driver.state.limitFetches(to: 1)
  }

  @Test func aTransactionBeginsWhatHasRoomOnceAllOfItHasHappened() {
    for name in names { driver.fetch(.n(name)) }
    expectEqual(begun(), [#"["a"]"#])
    driver.remove(.n("a"))
    driver.remove(.n("b"))
    expectEqual(begun(), [])
    fill()
    expectEqual(begun(), [#"["c"]"#])
  }

  @Test func aTransactionThatEndsAllFetchesBeginsNone() {
    for name in names { driver.fetch(.n(name)) }
    expectEqual(begun(), [#"["a"]"#])
    driver.state.removeAll(reason: .cleared, &driver.transaction)
    fill()
    expectEqual(begun(), [])
  }
}
