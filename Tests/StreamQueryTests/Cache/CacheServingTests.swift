import Testing

@testable import StreamQuery

/// Callers that get stale data while their fetch goes on, in the cache's own steps.
struct CacheServingTests {
  private let cache = CacheDriver()

  private static func query(_ patience: Double) -> Query<Int> {
    Query<Int>.n().staleTime(.seconds(10)).staleIfError(.seconds(20))
      .softTimeout(.seconds(patience))
  }

  private func wait(_ patience: Double) throws -> Waiter {
    guard case .waiting(let waiter) = cache.fetch(Self.query(patience)) else {
      throw CancellationError()
    }
    return waiter
  }

  /// It was answered in a transaction, and is cancelled before it learns that.
  @Test func aServedCallerThatLeavesTakesNobodyElseWithIt() throws {
    cache.fetch(Self.query(2))
    expect(cache.answer(Self.query(2), .value(TypedBox(7))))
    cache.pass(to: 12)
    let (quick, patient) = (try wait(2), try wait(30))
    expectEqual(cache.nextDeadline, .seconds(14))
    cache.pass(to: 14)
    expect(cache.timeReached(limit: 10))
    expectEqual(cache.machine(of: Self.query(2))?.waiterCount, 1)
    cache.state.removeWaiter(quick, &cache.transaction)
    expectEqual(cache.machine(of: Self.query(2))?.waiterCount, 1)
    expectEqual(cache.nextDeadline, .seconds(42))
    cache.state.removeWaiter(patient, &cache.transaction)
    // The client itself wants the fetch from then on.
    expectEqual(cache.machine(of: Self.query(2))?.isFetching, true)
  }
}
