import Testing

@testable import StreamQuery

/// What becomes of an answer: each test is one outcome.
struct AttemptOutcomeTests {
  private enum Way: CaseIterable {
    case succeed, keep, fail, failForGood, progress
  }

  private func answer(_ entry: inout EntryDriver, _ way: Way) -> AttemptOutcome {
    let (id, environment) = (entry.currentID, entry.environment)
    switch way {
    case .succeed: return entry.machine.attemptSucceeded(id, in: environment)
    case .keep: return entry.machine.attemptKept(id, in: environment)
    case .fail: return entry.machine.attemptFailed(id, retryAfter: .seconds(2), in: environment)
    case .failForGood: return entry.machine.attemptFailed(id, retryAfter: nil, in: environment)
    case .progress: return entry.machine.attemptProgressed(id, in: environment)
    }
  }

  private func running(data: Bool = true) -> EntryDriver {
    var entry = data ? EntryDriver.withData() : EntryDriver()
    entry.wait()
    return entry
  }

  @Test func everyAnswerOfAFetchThatIsOverIsLate() {
    for way in Way.allCases {
      var entry = running()
      entry.cancel()
      let before = entry.machine
      expectEqual(answer(&entry, way), .late)
      expectEqual(entry.machine, before)
    }
  }

  @Test func everyAnswerBetweenAttemptsIsLate() {
    for way in Way.allCases {
      var entry = running()
      entry.fail(retryAfter: 5)
      expectEqual(answer(&entry, way), .late)
    }
  }

  @Test func everyOutdatedAnswerRestartsTheFetch() {
    for way in Way.allCases {
      var entry = running()
      let old = entry.currentID
      _ = entry.machine.outdated(in: entry.environment)
      var expected = EntryActions()
      expected.cancelled = .restarted(old)
      expected.step = .attempt(FetchID(rawValue: old.rawValue + 1), hidesData: false)
      expected.changed = true
      expectEqual(answer(&entry, way), .restarted(expected))
      expectEqual(entry.machine.waiterCount, 1)
    }
  }

  @Test func aValueLandsAndEndsTheFetch() {
    var entry = running()
    var expected = EntryActions()
    expected.ended = .succeeded
    expected.changed = true
    expectEqual(answer(&entry, .succeed), .landed(expected))
  }

  @Test func dataThatIsStillGoodIsKeptAndEndsTheFetch() {
    var entry = running()
    var expected = EntryActions()
    expected.ended = .kept
    expected.changed = true
    expectEqual(answer(&entry, .keep), .landed(expected))
  }

  @Test func findingNothingToDoEndsTheFetchAndWhatIsAwaitedFollows() {
    for isAwaited in [false, true] {
      var entry = running()
      let (old, environment) = (entry.currentID, entry.environment)
      var expected = EntryActions()
      expected.ended = .nothing
      expected.changed = true
      if isAwaited {
        expected.step = .attempt(FetchID(rawValue: old.rawValue + 1), hidesData: false)
      }
      let outcome = entry.machine.attemptFoundNothing(old, isAwaited: isAwaited, in: environment)
      expectEqual(outcome, .cancelled(expected))
      expectEqual(entry.machine.isIdle, !isAwaited)
      let late = entry.machine.attemptFoundNothing(old, isAwaited: isAwaited, in: environment)
      expectEqual(late, .late)
    }
  }

  @Test func keepingNothingIsAFailure() {
    var entry = running(data: false)
    var expected = EntryActions()
    expected.ended = .failed
    expected.changed = true
    expectEqual(answer(&entry, .keep), .failed(expected))
  }

  @Test func aPartLandsAndTheFetchGoesOn() {
    var entry = running(data: false)
    var expected = EntryActions()
    expected.changed = true
    expectEqual(answer(&entry, .progress), .landed(expected))
    expect(entry.machine.isFetching)
  }

  @Test func aFailureIsRetriedAfterItsWait() {
    var entry = running()
    var expected = EntryActions()
    expected.changed = true
    expectEqual(answer(&entry, .fail), .retrying(expected, after: .seconds(2)))
    expectEqual(entry.deadline, 2)
  }

  @Test func aFailureWithoutAWaitEndsTheFetch() {
    var entry = running()
    var expected = EntryActions()
    expected.ended = .failed
    expected.changed = true
    expectEqual(answer(&entry, .failForGood), .failed(expected))
  }

  @Test func aFetchThatNobodyWantsIsNotRetried() {
    var entry = EntryDriver()
    entry.adopt(abandonment: .finish)
    entry.wait()
    entry.stopWaiting()
    var expected = EntryActions()
    expected.ended = .failed
    expected.changed = true
    expectEqual(answer(&entry, .fail), .failed(expected))
  }

  @Test func anAttemptThatIsCancelledEndsItsFetchEvenIfOutdated() {
    for isOutdated in [false, true] {
      var entry = running()
      if isOutdated { _ = entry.machine.outdated(in: entry.environment) }
      var expected = EntryActions()
      expected.ended = .cancelled
      expected.changed = true
      let outcome = entry.machine.attemptCancelled(entry.currentID, in: entry.environment)
      expectEqual(outcome, .cancelled(expected))
    }
  }
}
