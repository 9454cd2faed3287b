import Testing

@testable import StreamQuery

/// What is refreshed first, without a client.
struct RefreshPlanTests {
  private func candidate(
    _ name: String,
    _ overdue: Duration?,
    uses: Int = 0,
    isObserved: Bool = false
  ) -> RefreshPlan.Candidate {
    RefreshPlan.Candidate(
      key: EntryKey(QueryKey<Int>(name)),
      definition: QueryDefinition(of: Int.self),
      overdue: overdue.map { TimeSpan($0) },
      uses: uses,
      isObserved: isObserved
    )
  }

  private func order(_ candidates: [RefreshPlan.Candidate]) -> [AnyQueryKey] {
    var plan = RefreshPlan(candidates)
    var order: [AnyQueryKey] = []
    while let (index, candidate) = plan.next() {
      expectEqual(index, order.count)
      order.append(candidate.key.key)
    }
    return order
  }

  @Test func staleForLongAndUsedOftenComesFirst() {
    let candidates = [
      candidate("new, used", .seconds(10), uses: 5),
      candidate("old, unused", .seconds(50)),
      candidate("old, used", .seconds(50), uses: 5),
      candidate("new, unused", .seconds(10)),
    ]
    // 300, 60, 50 and 10.
    expectEqual(order(candidates), ["old, used", "new, used", "old, unused", "new, unused"])
  }

  @Test func whatIsObservedIsUsedMost() {
    let candidates = [
      candidate("used", .seconds(10), uses: 14), candidate("seen", .seconds(10), isObserved: true),
    ]
    expectEqual(order(candidates), ["seen", "used"])
  }

  @Test func whatIsMissingAndWhatIsOldForDaysIsAsUrgentAsWhatIsOldForADay() {
    let candidates = [
      candidate("day", .hours(24)), candidate("week", .hours(168)), candidate("missing", nil),
      candidate("used", .hours(13), uses: 1), candidate("now", .zero),
    ]
    expectEqual(order(candidates), ["used", "day", "week", "missing", "now"])
  }

  @Test func whatIsLeftIsWhatHasNoOutcome() {
    var plan = RefreshPlan([
      candidate("a", .seconds(9)), candidate("b", .seconds(8)), candidate("c", .seconds(7)),
      candidate("d", .seconds(6)),
    ])
    for _ in 0..<3 { _ = plan.next() }
    plan.fetchEnded(1, .refreshed)
    plan.fetchEnded(0, .failed)
    plan.fetchEnded(2, .remaining)
    var expected = QueryRefresh()
    (expected.refreshed, expected.failed, expected.remaining) = (["b"], ["a"], ["c", "d"])
    expectEqual(plan.result, expected)
  }
}
