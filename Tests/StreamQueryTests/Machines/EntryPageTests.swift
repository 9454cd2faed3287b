import Testing

@testable import StreamQuery

struct EntryPageTests {
  private func loaded() -> EntryDriver {
    var entry = EntryDriver()
    entry.observe()
    entry.succeed()
    return entry
  }

  private func page(_ entry: inout EntryDriver, _ direction: PageDirection) {
    _ = entry.machine.requested(
      .manual,
      joining: .irreplaceable,
      part: FetchPart(direction),
      in: entry.environment
    )
  }

  private func findNothing(_ entry: inout EntryDriver) {
    _ = entry.machine.attemptFoundNothing(
      entry.currentID,
      isAwaited: false,
      in: entry.environment
    )
  }

  private func fail(_ entry: inout EntryDriver) {
    _ = entry.machine.attemptFailed(entry.currentID, retryAfter: nil, in: entry.environment)
  }

  @Test("I11: the direction is that of the running fetch, or else of the last one")
  func directionIsKept() {
    var entry = loaded()
    expectEqual(entry.machine.part, .whole)
    page(&entry, .next)
    expectEqual(entry.machine.fetch?.part, .nextPage)
    entry.succeed()
    expectEqual(entry.machine.part, .nextPage)
    _ = entry.machine.requested(.manual, in: entry.environment)
    expectEqual(entry.machine.part, .whole)
  }

  @Test func cancellingAPageBringsTheDirectionBackThatItsStartChanged() {
    var entry = loaded()
    page(&entry, .next)
    entry.succeed()
    page(&entry, .previous)
    _ = entry.machine.cancelRequested(in: entry.environment)
    expectEqual(entry.machine.part, .nextPage)
    expect(entry.machine.isIdle)
    _ = entry.machine.requested(.manual, in: entry.environment)
    page(&entry, .previous)
    _ = entry.machine.cancelRequested(in: entry.environment)
    expectEqual(entry.machine.part, .whole)
    expect(entry.machine.isIdle)
  }

  @Test("a page that arrives leaves the mark of an invalidation", arguments: [false, true])
  func pageLeavesMarks(isInFlight: Bool) {
    var entry = loaded()
    if isInFlight { page(&entry, .next) }
    _ = entry.machine.invalidated(in: entry.environment)
    if !isInFlight { page(&entry, .next) }
    expect(entry.machine.isInvalidated)
    entry.succeed()
    expect(entry.machine.isInvalidated)
    _ = entry.machine.requested(.manual, in: entry.environment)
    entry.succeed()
    expect(!entry.machine.isInvalidated)
  }

  /// The entry was invalidated while it was empty, so no page of the base was outdated.
  @Test func aPageThatIsAddedToInitialDataKeepsNoMarkOfTheEmptyEntry() {
    var entry = EntryDriver()
    _ = entry.machine.invalidated(in: entry.environment)
    page(&entry, .next)
    _ = entry.machine.initialDataPlaced(
      updatedAt: .seconds(0),
      isPart: false,
      in: entry.environment
    )
    entry.succeed()
    expect(!entry.machine.isInvalidated)
  }

  @Test func pagesThatAPageCommandLoadsForTheFirstTimeAreWhole() {
    var entry = EntryDriver()
    _ = entry.machine.invalidated(in: entry.environment)
    page(&entry, .next)
    entry.succeed()
    expect(!entry.machine.isInvalidated)
  }

  @Test("a page that arrives clears the mark of a failure", arguments: [nil, PageDirection.next])
  func pageClearsMarksOfFailures(failing: PageDirection?) {
    var entry = loaded()
    if let failing {
      page(&entry, failing)
    } else {
      _ = entry.machine.requested(.manual, joining: .irreplaceable, in: entry.environment)
    }
    fail(&entry)
    expect(entry.machine.isInvalidated)
    page(&entry, .next)
    entry.succeed()
    expect(!entry.machine.isInvalidated)
  }

  @Test func cancellingAFirstLoadKeepsAMarkThatCameMeanwhile() {
    var entry = EntryDriver()
    _ = entry.machine.requested(.subscribed, in: entry.environment)
    _ = entry.machine.invalidated(in: entry.environment)
    _ = entry.machine.cancelRequested(in: entry.environment)
    expect(entry.machine.isInvalidated)
  }

  @Test func aRetryThatFindsNothingAfterAWriteLeavesNoFailure() {
    var entry = loaded()
    page(&entry, .next)
    entry.fail(retryAfter: 1)
    entry.write()
    expectEqual(entry.machine.failureCount, 1)
    entry.run(to: 1)
    findNothing(&entry)
    expect(entry.machine.isIdle && entry.machine.hasData)
    expectEqual(entry.machine.failureCount, 0)
  }

  @Test("what observers asked for meanwhile follows a page command that finds no page")
  func whatObserversAskedForFollows() {
    var entry = loaded()
    page(&entry, .next)
    _ = entry.machine.requested(.reconnect, in: entry.environment)
    findNothing(&entry)
    expectEqual(entry.machine.fetch?.part, .whole)
    expectEqual(entry.machine.cause, .reconnect)
  }

  @Test("it also follows if the fetch of the page begins anew")
  func whatObserversAskedForFollowsARestart() {
    var entry = loaded()
    page(&entry, .next)
    _ = entry.machine.requested(.reconnect, in: entry.environment)
    _ = entry.machine.outdated(in: entry.environment)
    _ = entry.machine.outdatedRestarted(in: entry.environment)
    findNothing(&entry)
    expectEqual(entry.machine.fetch?.part, .whole)
    expectEqual(entry.machine.cause, .reconnect)
  }

  @Test("and if another page is fetched before")
  func whatObserversAskedForFollowsAPageThatWasPutOff() {
    var entry = loaded()
    page(&entry, .next)
    for direction in [PageDirection.previous, .next, .previous] { page(&entry, direction) }
    _ = entry.machine.requested(.reconnect, in: entry.environment)
    page(&entry, .next)
    entry.succeed()
    expectEqual(entry.machine.fetch?.part, .nextPage)
    findNothing(&entry)
    expectEqual(entry.machine.fetch?.part, .whole)
    expectEqual(entry.machine.cause, .reconnect)
  }

  @Test func aPageThatIsStillGoodClearsTheMarkOfAFailure() {
    var entry = loaded()
    _ = entry.machine.requested(.manual, joining: .irreplaceable, in: entry.environment)
    fail(&entry)
    expect(entry.machine.isInvalidated)
    page(&entry, .next)
    _ = entry.machine.attemptKept(entry.currentID, in: entry.environment)
    expect(!entry.machine.isInvalidated)
  }

  @Test("at the bound a page of the other end follows, and the last one that is asked for counts")
  func pagesArePutOffAtTheBound() {
    var entry = loaded()
    page(&entry, .next)
    for direction in [PageDirection.previous, .next, .previous] { page(&entry, direction) }
    let bound = entry.machine.fetch?.id
    expectEqual(entry.machine.fetch?.supersessions, EntryMachine.supersessionLimit)
    page(&entry, .next)
    expectEqual(entry.machine.fetch?.id, bound)
    expect(entry.machine.isPut(off: .nextPage))
    // The one that runs is what this asks for.
    page(&entry, .previous)
    expect(entry.machine.isPut(off: .nextPage))
    _ = entry.machine.requested(.manual, joining: .irreplaceable, in: entry.environment)
    expect(!entry.machine.isPut(off: .nextPage))
    page(&entry, .next)
    entry.succeed()
    expectEqual(entry.machine.fetch?.part, .nextPage)
    expectEqual(entry.machine.fetch?.supersessions, 0)
    entry.succeed()
    expect(entry.machine.isIdle)
  }

  /// An entry whose fetch of the previous page cannot be replaced any more.
  private func bound() -> EntryDriver {
    var entry = loaded()
    for direction in [PageDirection.next, .previous, .next, .previous] { page(&entry, direction) }
    return entry
  }

  @Test("what observers asked for also follows a page in place of the one that they joined")
  func whatObserversAskedForFollowsAPageInItsPlace() {
    var entry = loaded()
    page(&entry, .next)
    entry.request(.reconnect)
    page(&entry, .previous)
    expectEqual(entry.machine.fetch?.part, .previousPage)
    findNothing(&entry)
    expectEqual(entry.machine.fetch?.part, .whole)
    expectEqual(entry.machine.cause, .reconnect)
  }

  @Test("what follows has the reason of the first request for it, and not that of another part")
  func whatFollowsHasItsOwnReason() {
    var entry = bound()
    page(&entry, .next)
    entry.invalidate()
    entry.request(.invalidated)
    entry.request(.trigger)
    entry.succeed()
    expectEqual(entry.machine.fetch?.part, .whole)
    expectEqual(entry.machine.cause, .invalidated)
  }

  @Test func aPageThatWasPutOffFollowsAFailureUnlessTheFetchWasGivenUp() {
    for isGivenUp in [false, true] {
      var entry = EntryDriver()
      entry.adopt(abandonment: .finish)
      entry.observe()
      entry.succeed()
      for direction in [PageDirection.next, .previous, .next, .previous, .next] {
        page(&entry, direction)
      }
      expect(entry.machine.isPut(off: .nextPage))
      if isGivenUp { entry.leave() }
      fail(&entry)
      expectEqual(entry.machine.fetch?.part, isGivenUp ? nil : FetchPart.nextPage)
    }
  }

  @Test func aPageThatWasPutOffFollowsAFetchThatBeginsAnewAtTheBound() {
    var entry = bound()
    page(&entry, .next)
    _ = entry.machine.outdated(in: entry.environment)
    _ = entry.machine.outdatedRestarted(in: entry.environment)
    expectEqual(entry.machine.fetch?.part, .previousPage)
    expectEqual(entry.machine.fetch?.supersessions, EntryMachine.supersessionLimit)
    entry.succeed()
    expectEqual(entry.machine.fetch?.part, .nextPage)
  }

  @Test func anEntryThatWasClearedHasNoDirection() {
    var entry = loaded()
    page(&entry, .next)
    entry.succeed()
    _ = entry.machine.cleared(in: entry.environment)
    expectEqual(entry.machine.part, .whole)
  }
}
