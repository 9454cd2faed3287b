import Testing

@testable import StreamQuery

/// What becomes of an answer, in the cache's own terms.
struct CacheAnswerTests {
  private let cache = CacheDriver()
  private let query = Query<Int>.n()

  private func failure(retryAfter delay: TimeSpan? = nil) -> AttemptAnswer {
    .failure(ErrorBox(Boom()), retryAfter: delay)
  }

  private var slot: EntrySlot? {
    cache.slot(of: query)
  }

  @Test func aValueLands() {
    cache.fetch(query)
    expect(cache.answer(query, .value(TypedBox(1))))
    expectEqual(cache.data(of: query), 1)
    expectNil(cache.job(of: query))
  }

  @Test func aPartLandsAndTheFetchGoesOn() {
    cache.fetch(query)
    expect(cache.answer(query, .part(TypedBox(1))))
    expectEqual(cache.data(of: query), 1)
    expectEqual(cache.fetching(query), .manual)
  }

  @Test func aLateAnswerChangesNothing() throws {
    cache.fetch(query)
    let job = try #require(cache.job(of: query))
    cache.answer(query, .value(TypedBox(1)))
    for answer in [
      AttemptAnswer.value(TypedBox(2)), .part(TypedBox(3)), failure(), .cancelled,
      .nothing, .notModified(withoutData: ErrorBox(Boom())),
    ] {
      expect(!cache.answer(job, answer))
      expectEqual(cache.data(of: query), 1)
      expectNil(slot?.failureReason)
      expectEqual(cache.machine(of: query)?.counts, SettledCounts(data: 1, errors: 0))
    }
  }

  @Test func anAnswerOfARemovedEntryIsNobodys() throws {
    cache.fetch(query)
    let job = try #require(cache.job(of: query))
    cache.remove(query)
    expect(!cache.answer(job, .value(TypedBox(1))))
    expectEqual(cache.answer(job, .part(TypedBox(1)), madeFrom: TypedBox(0)), false)
  }

  @Test func anOutdatedAnswerDoesNotLandAndTheFetchRunsAgain() throws {
    for answer in [AttemptAnswer.value(TypedBox(2)), .part(TypedBox(3)), failure()] {
      let cache = CacheDriver()
      cache.fetch(query)
      let old = try #require(cache.job(of: query))
      cache.outdate(query)
      expect(!cache.answer(query, answer))
      expectNil(cache.data(of: query))
      #expect(cache.job(of: query) !== old)
      expectEqual(cache.fetching(query), .manual)
      expectNil(cache.slot(of: query)?.failureReason)
    }
  }

  @Test func aFailureThatIsRetriedIsShownAsTheReason() {
    cache.fetch(query)
    expect(!cache.answer(query, failure(retryAfter: .seconds(2))))
    #expect(slot?.failureReason?.error is Boom)
    expectNil(slot?.error)
    expectEqual(cache.machine(of: query)?.stage, .waiting(until: .seconds(2)))
    expect(cache.job(of: query) != nil)
  }

  @Test func aFailureThatIsFinalIsTheError() {
    cache.fetch(query)
    expect(!cache.answer(query, failure()))
    #expect(slot?.error?.error is Boom)
    expectEqual(cache.machine(of: query)?.isIdle, true)
  }

  @Test func dataThatIsStillGoodStays() throws {
    cache.fetch(query)
    cache.answer(query, .value(TypedBox(1)))
    let box = try #require(slot?.data)
    cache.pass(to: 3)
    cache.fetch(query)
    expect(cache.answer(query, .notModified(withoutData: ErrorBox(Boom()))))
    #expect(slot?.data === box)
    expectNil(slot?.failureReason)
    expectEqual(cache.machine(of: query)?.dataUpdatedAt, .seconds(3))
  }

  @Test func withoutDataToKeepTheFetchFailed() {
    cache.fetch(query)
    expect(!cache.answer(query, .notModified(withoutData: ErrorBox(Boom()))))
    #expect(slot?.error?.error is Boom)
  }

  @Test func aCancelledAttemptLeavesNoError() {
    cache.fetch(query)
    expect(!cache.answer(query, .cancelled))
    expectNil(slot?.error)
    expectEqual(cache.machine(of: query)?.isIdle, true)
  }

  // MARK: Made from the data

  @Test func whatWasMadeFromThePresentDataLands() throws {
    cache.fetch(query)
    let job = try #require(cache.job(of: query))
    expectEqual(cache.answer(job, .part(TypedBox(1)), madeFrom: nil), true)
    let present = try #require(slot?.data)
    expectEqual(cache.answer(job, .part(TypedBox(2)), madeFrom: present), true)
    expectEqual(cache.data(of: query), 2)
  }

  @Test func whatWasMadeFromOlderDataHasToBeMadeAgain() throws {
    cache.fetch(query)
    let job = try #require(cache.job(of: query))
    cache.answer(query, .part(TypedBox(1)))
    for older in [nil, TypedBox(1)] as [ValueBox?] {
      expectNil(cache.answer(job, .value(TypedBox(2)), madeFrom: older))
      expectEqual(cache.data(of: query), 1)
      expectEqual(cache.fetching(query), .manual)
    }
  }
}
