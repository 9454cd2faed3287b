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

  // MARK: Decisions

  private func terms(_ change: (inout ServingOptions.Values) -> Void) throws -> ServingTerms {
    let options = ServingOptions.copy(nil)
    change(&options.values)
    return try #require(ServingTerms(options))
  }

  /// The answer for a caller whose stale time is ten seconds.
  private func decision(
    _ found: FetchDecision,
    for need: CachePolicy = .ifStale,
    _ terms: ServingTerms,
    since start: Double? = nil,
    canFetch: Bool = true,
    at seconds: Double
  ) -> FetchDecision {
    entry.machine.served(
      found,
      for: need,
      terms,
      .after(.seconds(10)),
      record,
      fetchingSince: start.map(Instant.seconds),
      canFetch: canFetch,
      at: .seconds(seconds)
    )
  }

  @Test mutating func aRecentFailureIsServedInPlaceOfAFetch() throws {
    let caching = try terms { $0.cachesFailures = FailureCaching(.seconds(5)) }
    let patient = try terms { $0.softTimeout = .seconds(5) }
    entry = .failed()
    record.failed(lastingFor: .seconds(5), at: .zero)
    expectEqual([4, 5].map { decision(.fetch, caching, at: $0) }, [.useFailure, .fetch])
    expectEqual(decision(.fetch, for: .always, caching, at: 4), .fetch)
    expectEqual(decision(.fetch, patient, at: 4), .fetch)
    expectEqual(decision(.missingFetch, caching, at: 4), .missingFetch)
  }

  @Test mutating func afterARecentFailureDataIsServedWithoutARefetch() throws {
    let caching = try terms {
      $0.cachesFailures = FailureCaching(.seconds(5))
      $0.staleIfError = .seconds(20)
    }
    entry.request()
    entry.fail()
    record.failed(lastingFor: .seconds(5), at: .seconds(12))
    let stale = FetchDecision.useCached(.staleHit, revalidates: false)
    expectEqual(decision(.fetch, caching, at: 12), stale)
    expectEqual(decision(.fetch, for: .ifStaleOrThrow, caching, at: 12), .useFailure)
    expectEqual(
      decision(
        .useCached(.staleHit, revalidates: true),
        for: .ifMissingElseRevalidate,
        caching,
        at: 12
      ),
      stale
    )
  }

  @Test mutating func freshDataIsRefetchedAheadOfTimeForCallersThatWantItFresh() throws {
    let ahead = try terms { $0.refreshAhead = .fraction(0.8) }
    let never = try terms { $0.softTimeout = .seconds(5) }
    let hit = FetchDecision.useCached(.hit, revalidates: false)
    let refreshed = FetchDecision.useCached(.hit, revalidates: true)
    expectEqual(decision(hit, ahead, at: 9), hit, "it was written")
    record.answeredAt = .zero
    expectEqual([7, 8].map { decision(hit, ahead, at: $0) }, [hit, refreshed])
    expectEqual(decision(hit, for: .ifStaleOrThrow, ahead, at: 8), refreshed)
    expectEqual(decision(hit, for: .ifMissing, ahead, at: 8), hit)
    expectEqual(decision(hit, ahead, canFetch: false, at: 8), hit)
    expectEqual(decision(hit, never, at: 8), hit)
    expect(!record.isRefreshDue(.fraction(0.8), .static, of: .zero, at: .seconds(9)))
    entry.request()
    expectEqual(decision(hit, ahead, at: 8), hit)
  }

  @Test func staleDataIsServedInPlaceOfAFetchThatTakesTooLong() throws {
    let hurried = try terms {
      $0.staleIfError = .seconds(20)
      $0.softTimeout = .seconds(2)
    }
    let stale = FetchDecision.useCached(.staleHit, revalidates: true)
    expectEqual(decision(.fetch, hurried, at: 12), .fetch, "it begins now")
    expectEqual([12, 13].map { decision(.fetch, hurried, since: 11, at: $0) }, [.fetch, stale])
    expectEqual(decision(.fetch, hurried, since: 11, at: 31), .fetch, "too old")
    expectEqual(decision(.fetch, for: .ifMissing, hurried, since: 11, at: 13), .fetch)
    expectEqual(decision(.missingFetch, hurried, since: 11, at: 13), .missingFetch)
  }

  // MARK: The record

  @Test func aFailureMayLastIfItsAttemptRunsAndTheDataIsTheSameAsAtItsBeginning() {
    var fetching = entry
    fetching.request()
    let id = fetching.currentID
    var (invalidated, written, ended) = (fetching, fetching, fetching)
    invalidated.invalidate()
    written.write()
    ended.succeed()
    let entries = [fetching, invalidated, written, ended]
    expectEqual(
      entries.map { $0.machine.mayFailureLast(of: id) },
      [true, false, false, false]
    )
  }

  @Test mutating func whatWaitsForAFetchAndWhatAFailureLeftEndWithThem() {
    entry.request()
    entry.fail()
    entry.request()
    record.waiterJoined(until: .seconds(9))
    record.waiterJoined(until: .seconds(7))
    record.failed(lastingFor: .seconds(5), at: .zero)
    record.entryChanged(entry.machine, at: .zero)
    expectEqual(record.softTimeoutEnd, .seconds(7))
    expectEqual(record.failureEnd, .seconds(5))
    entry.succeed()
    record.entryChanged(entry.machine, at: .zero)
    expect(record.isEmpty)
  }

  @Test mutating func anAnswerIsRecordedWithItsDateAndItsDuration() {
    record.landed(
      chance: 0.25,
      answeredAt: .seconds(3),
      fetchingSince: .seconds(1),
      at: .seconds(4)
    )
    var expected = ServingRecord()
    expected.chance = 0.25
    expected.answeredAt = .seconds(3)
    expected.duration = .seconds(3)
    expectEqual(record, expected)
  }

  init() {}

  private init(entry: EntryDriver) { self.entry = entry }
}
