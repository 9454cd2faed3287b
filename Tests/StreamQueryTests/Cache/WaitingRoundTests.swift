import Testing

@testable import StreamQuery

/// Rounds of waiters: who leaves after it was answered takes nothing from those who wait since.
@Suite("Waiting: contract law 6") final class WaitingRoundTests {
  private var state: CacheState
  private var transaction = Transaction(environment: Environment(now: .seconds(0)))
  private let resolved: ResolvedQuery
  private let key = EntryKey("n", valueType: Int.self)
  private let index: Int

  init() {
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    state = CacheState(defaults: defaults, date: 0)
    let query = QueryDefinition(of: Int.self) { _ in TypedBox(1) }
    resolved = ResolvedQuery(query, for: key.key, defaults: defaults)
    index = state.entry(key, resolved, &transaction)
  }

  /// Waits for the fetch in flight, or a new one.
  private func wait(superseding: Bool = false) throws -> Waiter {
    let request = FetchRequest(
      cause: .manual,
      joining: EntryMachine.Joining(superseding: superseding)
    )
    return try #require(
      state.request(index, request, query: resolved, role: .leasing, &transaction)
    )
  }

  private func succeed() throws {
    let current = try #require(state.slots[index].machine.fetch)
    let actions = state.slots[index].machine
      .attemptSucceeded(current.id, in: transaction.environment).actions
    state.slots[index].store(TypedBox(1), &transaction)
    state.apply(actions, index, &transaction)
  }

  private func leave(_ waiter: Waiter) {
    waiter.resolve(.cancelled)
    state.removeWaiter(waiter, &transaction)
  }

  private var machine: EntryMachine { state.slots[index].machine }

  @Test func whoLeavesAfterItsFetchEndedTakesNoLeaseOfTheNext() throws {
    let old = try wait()
    try succeed()
    _ = try wait()
    leave(old)
    expectEqual(machine.waiterCount, 1)
    expect(machine.isFetching)
  }

  @Test func whoLeavesTwiceGivesOneLeaseBack() throws {
    let (first, _) = (try wait(), try wait())
    leave(first)
    leave(first)
    expectEqual(machine.waiterCount, 1)
    expect(machine.isFetching)
  }

  @Test func whoLeavesTheLastSlotTakesNoLeaseOfTheNextEntryInIt() throws {
    let old = try wait()
    try succeed()
    state.drop(index, reason: .removed, &transaction)
    expectEqual(state.entry(key, resolved, &transaction), index)
    _ = try wait()
    leave(old)
    expectEqual(machine.waiterCount, 1)
  }

  @Test func callersOfAFetchThatWasReplacedLeaveTheOneThatTookItsPlace() throws {
    _ = try wait()
    try succeed()
    let callers = [
      try wait(), try wait(), try wait(superseding: true), try wait(superseding: true),
    ]
    for (left, caller) in callers.enumerated() {
      expectEqual(machine.waiterCount, 4 - left)
      expect(machine.isFetching)
      leave(caller)
      leave(caller)
    }
    expectEqual(machine.waiterCount, 0)
    expect(machine.isIdle)
  }

  @Test func whoLeftIsNotTakenAlongToTheFetchThatReplacesItsOwn() throws {
    _ = try wait()
    try succeed()
    let initiator = try wait()
    _ = try wait()
    _ = try wait()
    leave(initiator)
    _ = try wait(superseding: true)
    expectEqual(machine.waiterCount, 3)
  }

  @Test func anEntryThatWasFetchedForNobodyElseKeepsNoRoom() throws {
    for _ in 1...2 {
      _ = try wait()
      expect(!state.slots[index].rareData.isEmpty)
      try succeed()
      expect(state.slots[index].rareData.isEmpty)
    }
  }
}
