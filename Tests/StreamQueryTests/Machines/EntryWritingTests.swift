import Testing

@testable import StreamQuery

@Suite("Writing, invalidating, clearing: T14, T44, T46, T50, laws 7 and 13, X03")
struct EntryWritingTests {
  // MARK: Writes

  @Test func aWriteIsASuccess() {
    var driver = EntryDriver.failed()
    driver.pass(to: 3)
    let actions = driver.write()
    expect(actions.changed)
    expectNil(actions.ended)
    expect(driver.machine.hasData)
    expect(!driver.machine.isError)
    expect(!driver.machine.isInvalidated)
    expectEqual(driver.machine.failureCount, 0)
    expectEqual(driver.machine.dataUpdatedAt, .seconds(3))
    expectEqual(driver.machine.dataUpdateCount, 1)
    expectEqual(driver.machine.counts, SettledCounts(data: 1, errors: 1))
  }

  @Test func aPlainWriteLeavesTheRunningFetchAlone() {
    var driver = EntryDriver.withData()
    driver.request()
    let id = driver.currentID
    expectNil(driver.write().cancelled)
    expectEqual(driver.currentID, id)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  @Test func aPlainWriteLeavesFailedAttemptsOfTheRunningFetchCounted() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.fail(retryAfter: 1)
    driver.write()
    expectEqual(driver.machine.failureCount, 1)
  }

  @Test func aFetchInFlightKnowsWhoWroteLast() {
    var driver = EntryDriver.withData()
    driver.request()
    expectNil(driver.machine.fetch?.writer)
    for writer in [InFlight.Writer.archive, .caller] {
      let now = driver.environment.now
      _ = driver.machine.written(by: writer, updatedAt: now, fencing: false, in: driver.environment)
      expectEqual(driver.machine.fetch?.writer, writer)
    }
  }

  @Test(arguments: ["running", "waiting", "paused"])
  func aFencingWriteEndsTheFetch(_ phase: String) {
    var driver = EntryDriver.withData()
    if phase == "paused" { driver.online(false) }
    driver.wait()
    if phase == "waiting" { driver.fail(retryAfter: 1) }
    let id = driver.currentID
    let actions = driver.write(fencing: true)
    expectEqual(actions.cancelled, .gone(id))
    expectEqual(actions.ended, .replaced)
    expect(driver.machine.isIdle)
    expectEqual(driver.machine.failureCount, 0)
    expectEqual(driver.machine.waiterCount, 0)
  }

  @Test func aFencingWriteWithoutAFetchIsAWrite() {
    var driver = EntryDriver()
    var other = driver
    expectEqual(driver.write(fencing: true), other.write())
    expectEqual(driver.machine, other.machine)
  }

  @Test func aWriteWithAnOldDateIsStaleAccordingly() {
    var driver = EntryDriver()
    driver.pass(to: 100)
    driver.write(updatedAt: 40)
    expect(driver.machine.isStale(.after(.seconds(60)), at: .seconds(100)))
    driver.observe(.make(staleAfter: .seconds(70), onSubscribe: .never))
    expectEqual(driver.deadline, 110)
  }

  // MARK: Initial data

  @Test("T14: initial data is data, but neither a fetch nor a write")
  func seeding() {
    var driver = EntryDriver()
    let actions = driver.machine.initialDataPlaced(updatedAt: .seconds(-5), in: driver.environment)
    expect(actions.changed)
    expect(driver.machine.hasData)
    expectEqual(driver.machine.dataUpdateCount, 0)
    expectEqual(driver.machine.counts, .zero)
    expect(driver.machine.isStale(.after(.seconds(5)), at: .zero))
    expect(!driver.machine.isStale(.after(.seconds(6)), at: .zero))
  }

  @Test("T14: initial data that fills an entry in error is good data")
  func seedingAFailedEntry() {
    for seconds in [0.0, -5] {
      var driver = EntryDriver.failed()
      _ = driver.machine.initialDataPlaced(updatedAt: .seconds(seconds), in: driver.environment)
      expect(!driver.machine.isError)
      expectEqual(driver.machine.failureCount, 0)
      expect(!driver.machine.isInvalidated)
      expect(!driver.machine.isStale(.after(.seconds(6)), at: .zero))
    }
  }

  @Test func initialDataDuringALoadIsKeptWhenTheLoadIsCancelled() {
    var driver = EntryDriver.failed()
    driver.request()
    _ = driver.machine.initialDataPlaced(updatedAt: driver.environment.now, in: driver.environment)
    driver.cancel()
    expect(driver.machine.hasData)
    expect(!driver.machine.isError)
  }

  // MARK: Invalidation

  @Test func anInvalidationMarksOnce() {
    var driver = EntryDriver.withData()
    expect(driver.invalidate().changed)
    expect(driver.machine.isInvalidated)
    expectEqual(driver.invalidate(), .none)
  }

  @Test("X03: with data the running fetch is replaced, and its successor clears the mark")
  func invalidationOverData() {
    var driver = EntryDriver.withData()
    driver.request()
    let old = driver.currentID
    driver.invalidate()
    expectEqual(driver.request(.invalidated, superseding: true).cancelled, .gone(old))
    driver.succeed()
    expect(!driver.machine.isInvalidated)
  }

  @Test("X03: without data the first load is joined, and the mark outlives it")
  func invalidationOfAFirstLoad() {
    var driver = EntryDriver()
    driver.request()
    driver.invalidate()
    expectEqual(driver.request(.invalidated, superseding: true), .none)
    driver.succeed()
    expect(driver.machine.isInvalidated)
  }

  @Test("X21: a fetch that ran before the mark leaves it, and one that begins later clears it")
  func invalidationWithoutRefetch() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.invalidate()
    driver.succeed()
    expect(driver.machine.isInvalidated)
    driver.request()
    driver.succeed()
    expect(!driver.machine.isInvalidated)
  }

  @Test(
    "X21: a page that is added leaves the mark, whenever and however it was made",
    arguments: [
      "before", "resting", "running", "joined",
    ]
  )
  func addedPagesLeaveTheMark(_ when: String) {
    var driver = EntryDriver.withData()
    if when == "before" { driver.invalidate() }
    if when == "resting" { driver.online(false) }
    _ = driver.machine.requested(.manual, part: .nextPage, in: driver.environment)
    if when == "joined" {
      driver.invalidate()
      driver.request(.invalidated)
    } else {
      driver.invalidate()
    }
    driver.online(true)
    expect(driver.machine.isInvalidated)
    expectEqual(driver.succeed().ended, .succeeded)
    expect(driver.machine.isInvalidated)
  }

  @Test func aWriteAfterTheMarkClearsItUntilTheOlderAnswerLands() {
    var driver = EntryDriver.withData()
    driver.request()
    driver.invalidate()
    driver.write()
    expect(!driver.machine.isInvalidated)
    driver.succeed()
    expect(driver.machine.isInvalidated)
  }

  // MARK: Clearing

  @Test("Law 13: a cleared entry is pending and idle, and its observers stay")
  func clearing() {
    var driver = EntryDriver.withData()
    driver.observe(.make(interval: .seconds(10)))
    driver.wait()
    let id = driver.currentID
    let actions = driver.machine.cleared(in: driver.environment)
    expectEqual(actions.cancelled, .gone(id))
    expectEqual(actions.ended, .removed)
    expectNil(actions.started)
    expect(actions.changed)
    expect(!driver.machine.hasData)
    expect(driver.machine.isIdle)
    expectNil(driver.machine.cause)
    expectEqual(driver.machine.dataUpdatedAt, .never)
    expectEqual(driver.machine.dataUpdateCount, 0)
    expectEqual(driver.machine.observerCount, 1)
    expectEqual(driver.machine.waiterCount, 0)
    // The next trigger fetches.
    expectEqual(driver.run(to: 10).map(\.actions.started), [driver.currentID])
  }

  @Test func clearingForgetsErrorsAndMarks() {
    var driver = EntryDriver.failed()
    driver.invalidate()
    let actions = driver.machine.cleared(in: driver.environment)
    expectNil(actions.ended)
    expect(!driver.machine.isError)
    expect(!driver.machine.isInvalidated)
    expectEqual(driver.machine.failureCount, 0)
    expectEqual(driver.machine.errorUpdateCount, 0)
    expectEqual(driver.machine.errorUpdatedAt, .never)
  }

  @Test("an error that came out of an archive stands beside the data until something newer comes")
  func failuresComeBack() {
    var driver = EntryDriver.withData(at: 5)
    let actions = driver.machine.failureRestored(updatedAt: .seconds(3), in: driver.environment)
    expect(actions.changed)
    expect(driver.machine.isError)
    expectEqual(driver.machine.errorUpdatedAt, .seconds(3))
    expectEqual(driver.machine.failureCount, 1)
    expectEmpty(driver.machine.brokenInvariants(at: driver.environment.now.instant))
    driver.write()
    expect(!driver.machine.isError)
    expectEqual(driver.machine.failureCount, 0)
  }

  @Test func aFetchInFlightTellsAnewInsteadOfAnArchivedError() {
    var driver = EntryDriver.withData()
    driver.request(clientLease: true)
    expectEqual(
      driver.machine.failureRestored(updatedAt: .seconds(0), in: driver.environment),
      .none
    )
    var empty = EntryDriver()
    expectEqual(empty.machine.failureRestored(updatedAt: .seconds(0), in: empty.environment), .none)
  }
}
