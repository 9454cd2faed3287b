import Testing

@testable import StreamQuery

/// When the waits of works end, in the one graph of the process: each test has a client's number of its own.
struct WorkWaitTests {
  private func fetch(_ index: Int32, of cache: UInt64) -> WorkID {
    .fetch(cache: cache, entry: EntryID(index: index, generation: UInt64(index)))
  }

  private func waiter(_ source: TaskChain, for target: WorkID) throws -> Waiter {
    guard case .granted(let wait?) = WorkWait.begin(source, for: target) else { throw Boom() }
    return Waiter(role: .leasing, wait: wait)
  }

  @Test func aWaitIsOverInTheTurnThatDecidesItsAnswer() throws {
    let cache = UInt64.max
    let waiter = try waiter(TaskChain(of: fetch(1, of: cache)), for: fetch(2, of: cache))
    expectEqual(WorkWait.count(of: cache), 1)
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    var state = CacheState(defaults: defaults, date: 0)
    state.answer(Few(waiter), .cancelled)
    expectEqual(WorkWait.count(of: cache), 0)
    expect(!waiter.isResolved)
  }

  @Test func aWaiterThatLeavesOrGoesWaitsNoMore() throws {
    let cache = UInt64.max - 1
    let source = TaskChain(of: fetch(1, of: cache))
    let leaving = try waiter(source, for: fetch(2, of: cache))
    _ = try waiter(source, for: fetch(2, of: cache))
    expectEqual(WorkWait.count(of: cache), 1)
    leaving.resolve(.cancelled)
    expectEqual(WorkWait.count(of: cache), 0)
  }

  @Test func theEndOfAFetchEndsItsWaitsAndThoseThatItMightBegin() throws {
    let cache = UInt64.max - 2
    let source = TaskChain(of: fetch(1, of: cache))
    let waiter = try waiter(source, for: fetch(2, of: cache))
    source.workEnded()
    expectEqual(WorkWait.count(of: cache), 0)
    // Another thread may have looked just before.
    guard case .granted(nil) = WorkWait.begin(source, for: fetch(1, of: cache)) else {
      Issue.record("a wait of nobody was refused or begun")
      return
    }
    expectEqual(WorkWait.count(of: cache), 0)
    // The same entry's next fetch: an old wait that ends late takes nothing of it.
    let next = try self.waiter(TaskChain(of: fetch(1, of: cache)), for: fetch(2, of: cache))
    waiter.resolve(.settled)
    expectEqual(WorkWait.count(of: cache), 1)
    next.resolve(.settled)
    expectEqual(WorkWait.count(of: cache), 0)
  }
}
