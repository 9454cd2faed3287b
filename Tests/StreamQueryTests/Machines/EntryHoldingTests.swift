import Testing

@testable import StreamQuery

/// First attempts that are held back.
struct EntryHoldingTests {
  private var machine = EntryMachine(at: .zero)
  private let start = Environment(now: Timestamp(instant: .zero, date: 0))
  private let limit = Instant.seconds(30)

  private func environment(_ seconds: Double, isOnline: Bool = true) -> Environment {
    var environment = Environment(
      now: Timestamp(instant: .seconds(seconds), date: seconds)
    )
    environment.isOnline = isOnline
    return environment
  }

  private mutating func begin() -> FetchID? {
    machine.requested(.manual, clientLease: true, in: start).started
  }

  private mutating func hold() -> FetchID? {
    guard let id = begin() else { return nil }
    machine.deferred(id, until: limit)
    return id
  }

  @Test mutating func aFetchThatIsHeldBackBeginsAtItsLimitAndOnlyThen() {
    let id = hold()
    expect(machine.isDeferred && machine.isFetching)
    expectEqual(machine.deadline(in: start), limit)
    let early = machine.timeReached(in: environment(29))
    expectNil(early.started)
    let late = machine.timeReached(in: environment(30))
    expectEqual(late.started, id)
    expectEqual(machine.stage, .running)
    expectEqual(machine.brokenInvariants(at: limit), [])
  }

  @Test mutating func aFetchIsHeldBackOnce() throws {
    let id = try #require(hold())
    let actions = machine.released(in: environment(1))
    expectEqual(actions.started, id)
    expect(!machine.canDefer(id))
    machine.deferred(id, until: limit)
    expectEqual(machine.stage, .running)
    let again = machine.released(in: environment(2))
    expectEqual(again, .none)
  }

  @Test mutating func aFetchThatIsReleasedOfflineIsPaused() {
    _ = hold()
    let actions = machine.released(in: environment(1, isOnline: false))
    expect(actions.paused && actions.changed && actions.started == nil)
    expectEqual(machine.stage, .paused(before: .firstAttempt))
    expectEqual(machine.brokenInvariants(at: .seconds(1)), [])
  }

  @Test mutating func aRetryAndARefetchOfDataAreNotHeldBack() throws {
    let id = try #require(begin())
    _ = machine.attemptFailed(id, retryAfter: TimeSpan(.seconds(1)), in: start)
    let retry = machine.timeReached(in: environment(1))
    expectEqual(retry.started, id)
    expect(!machine.canDefer(id))
    _ = machine.attemptSucceeded(id, in: environment(1))
    let refetch = machine.requested(.manual, clientLease: true, in: environment(2)).started
    expect(!machine.canDefer(try #require(refetch)))
  }

  @Test mutating func anAnswerOfAFetchThatIsHeldBackIsLate() throws {
    let id = try #require(hold())
    let outcome = machine.attemptSucceeded(id, in: environment(1))
    expectEqual(outcome, .late)
    let fenced = machine.written(updatedAt: start.now, fencing: true, in: environment(1))
    expectEqual(fenced.cancelled, .gone(id))
    expect(machine.isIdle)
  }

  @Test mutating func aWriteOrInitialDataLetsAFetchBegin() {
    for isWritten in [true, false] {
      for isOnline in [true, false] {
        var tests = Self()
        let id = tests.hold()
        let later = environment(1, isOnline: isOnline)
        let actions =
          isWritten
          ? tests.machine.written(updatedAt: later.now, fencing: false, in: later)
          : tests.machine.initialDataPlaced(updatedAt: later.now, in: later)
        expect(actions.started == (isOnline ? id : nil) && actions.paused == !isOnline)
        expect(tests.machine.hasData && !tests.machine.isDeferred)
        expectEqual(tests.machine.brokenInvariants(at: .seconds(1)), [])
      }
    }
  }

  @Test mutating func aFetchThatShowsPartsIsNotHeldBack() throws {
    var options = FetchOptions()
    options.delivery = .parts
    machine.adopted(fetchOptions: options, gcTime: .zero)
    let id = try #require(begin())
    expect(!machine.canDefer(id))
  }

  @Test mutating func theLimitOfAFetchThatIsHeldBackMayMoveUntilItBegins() {
    let id = hold()
    let moved = machine.stillDeferred(until: .seconds(50))
    expectEqual(moved, .none)
    expectEqual(machine.deadline(in: start), .seconds(50))
    let late = machine.timeReached(in: environment(50))
    expectEqual(late.started, id)
    _ = machine.stillDeferred(until: .seconds(90))
    expectEqual(machine.stage, .running)
  }

  @Test mutating func aFetchThatResetsDataHidesWhatWasWrittenWhileItWasHeldBack() {
    var options = FetchOptions()
    options.resetsData = true
    machine.adopted(fetchOptions: options, gcTime: .zero)
    let id = hold()
    let later = environment(1)
    let actions = machine.written(updatedAt: later.now, fencing: false, in: later)
    expect(actions.started == id && actions.hidesData)
    expect(!machine.hasData)
    let end = machine.cancelRequested(in: later)
    expect(end.unstashed && machine.hasData)
    expectEqual(machine.brokenInvariants(at: .seconds(1)), [])
  }
}
