import Testing

@testable import StreamQuery

/// Which data may be served in place of a fetch's answer.
struct EntryServingTests {
  private var entry = EntryDriver.withData()
  private var record = ServingRecord()

  /// Whether the data may be served, at each of several times.
  private func served(
    _ times: [Double],
    _ freshness: Freshness = .after(.seconds(10)),
    grace: Double = 20
  ) -> [Bool] {
    times.map {
      entry.machine.isServable(freshness, within: .seconds(grace), record, at: .seconds($0))
    }
  }

  @Test func dataIsServedWhileItIsFreshAndForItsGrace() {
    expectEqual(served([0, 9, 10, 30, 30.001]), [true, true, true, true, false])
  }

  @Test func nothingIsServedWithoutDataOrGrace() {
    expectEqual(served([0], grace: 0), [false])
    let empty = EntryServingTests(entry: EntryDriver())
    expectEqual(empty.served([0]), [false])
  }

  @Test mutating func aMarkBeginsTheGraceIfItComesFirst() {
    entry.invalidate()
    record.entryChanged(entry.machine, at: .seconds(4))
    expectEqual(record.markedAt, .seconds(4))
    record.entryChanged(entry.machine, at: .seconds(9))
    expectEqual(record.markedAt, .seconds(4))
    expectEqual(served([24, 24.001]), [true, false])
    expectEqual(served([24, 24.001], .after(.infinite)), [true, false])
    expectEqual(served([16, 22, 22.001], .after(.seconds(2))), [true, true, false])
    expectEqual(served([1e6], .static), [true])
  }

  @Test mutating func aMarkOfUnknownAgeIsAsOldAsTheData() {
    entry.invalidate()
    expectEqual(served([20, 20.001]), [true, false])
  }

  @Test mutating func aWriteEndsTheMark() {
    entry.invalidate()
    record.entryChanged(entry.machine, at: .seconds(4))
    entry.write()
    record.entryChanged(entry.machine, at: .seconds(5))
    expect(record.isEmpty)
  }

  @Test func aRefetchAheadOfTimeThatFailsLeavesTheDataFresh() {
    let marks = [false, true].map { isAhead in
      var entry = entry
      entry.request()
      if isAhead { entry.machine.refreshBegan() }
      entry.fail()
      return entry.machine.isInvalidated
    }
    expectEqual(marks, [true, false])
  }

  @Test mutating func aFailureLastsUntilItsEndUnlessThereIsAFetchOrData() {
    let failed = EntryDriver.failed()
    var fetching = failed
    fetching.request()
    var answered = fetching
    answered.succeed()
    let times: [Instant] = [.seconds(0), .seconds(4.999), .seconds(5)]
    let entries = [failed, fetching, answered]
    let unlimited = entries.map { entry in
      times.map { entry.machine.isFailureLasting(record, at: $0) }
    }
    expectEqual(unlimited, Array(repeating: [false, false, false], count: 3))
    record.failed(lastingFor: .seconds(5), at: .seconds(0))
    let lasting = entries.map { entry in
      times.map { entry.machine.isFailureLasting(record, at: $0) }
    }
    expectEqual(lasting, [[true, true, false], [false, false, false], [false, false, false]])
  }

  @Test func nothingOverflows() {
    expectEqual(served([1e9], .after(.infinite), grace: 1), [true])
    let end = Instant(nanoseconds: .max)
    expect(!entry.machine.isServable(.after(.longest), within: .longest, record, at: end))
    expect(entry.machine.isServable(.after(.longest), within: .infinite, record, at: end))
  }

  init() {}

  private init(entry: EntryDriver) { self.entry = entry }
}
