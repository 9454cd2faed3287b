import Testing

@testable import StreamQuery

struct EntryStreamingTests {
  private func loaded(resets: Bool) -> EntryDriver {
    var entry = EntryDriver()
    var fetchOptions = FetchOptions()
    fetchOptions.resetsData = resets
    entry.machine.adopted(fetchOptions: fetchOptions, gcTime: .seconds(300))
    entry.observe()
    entry.pass(to: 1)
    entry.succeed()
    entry.pass(to: 2)
    return entry
  }

  private func progress(_ entry: inout EntryDriver) -> EntryActions {
    entry.machine.attemptProgressed(entry.currentID, in: entry.environment).actions
  }

  @Test func aPartIsDataAndTheFetchGoesOn() {
    var entry = EntryDriver()
    entry.observe()
    let actions = progress(&entry)
    #expect(actions.changed)
    #expect(actions.ended == nil)
    #expect(entry.machine.hasData)
    #expect(entry.machine.isFetching)
    #expect(entry.machine.dataUpdateCount == 1)
  }

  @Test("a part of an old fetch does not land") func oldPartsAreNoOps() {
    var entry = loaded(resets: false)
    entry.request()
    let old = entry.currentID
    entry.request(superseding: true)
    #expect(entry.machine.attemptProgressed(old, in: entry.environment) == .late)
    entry.cancel()
    #expect(entry.machine.attemptProgressed(old, in: entry.environment) == .late)
  }

  @Test func cancellingAfterAPartKeepsIt() {
    var entry = EntryDriver.failed()
    entry.observe()
    _ = progress(&entry)
    entry.cancel()
    #expect(entry.machine.hasData)
    #expect(!entry.machine.isError)
  }

  @Test func aFailureAfterAPartKeepsIt() {
    var entry = EntryDriver()
    entry.observe()
    _ = progress(&entry)
    entry.fail()
    #expect(entry.machine.hasData)
    #expect(entry.machine.isError)
  }

  @Test("a reset puts data away and a cancellation brings it back, date and count included")
  func resetAndCancel() {
    var entry = loaded(resets: true)
    let before = entry.machine
    let start = entry.request()
    #expect(start.stashed)
    #expect(!entry.machine.hasData)
    #expect(entry.machine.dataUpdatedAt == .never)
    let end = entry.cancel()
    #expect(end.unstashed)
    #expect(entry.machine.hasData)
    #expect(entry.machine.dataUpdatedAt == before.dataUpdatedAt)
    #expect(entry.machine.dataUpdateCount == before.dataUpdateCount)
  }

  @Test("append and replace: data stays in sight, and cancelling before any part changes nothing")
  func withoutResetDataStays() {
    var entry = loaded(resets: false)
    let before = entry.machine
    #expect(!entry.request().stashed)
    #expect(entry.machine.hasData)
    #expect(!entry.cancel().unstashed)
    #expect(entry.machine.hasData)
    #expect(entry.machine.dataUpdatedAt == before.dataUpdatedAt)
    #expect(entry.machine.dataUpdateCount == before.dataUpdateCount)
  }

  @Test("each part is an update of its own, and the end is one more") func partsAreCounted() {
    var entry = loaded(resets: true)
    entry.request()
    for count in 1...3 {
      entry.pass(to: 2 + Double(count))
      #expect(progress(&entry).changed)
      #expect(entry.machine.dataUpdateCount == count)
      #expect(entry.machine.dataUpdatedAt == entry.environment.now)
    }
    #expect(entry.succeed().ended == .succeeded)
    #expect(entry.machine.dataUpdateCount == 4)
  }

  @Test("a reset that fails before its first part has no data to show, and none comes back")
  func resetAndFail() {
    var entry = loaded(resets: true)
    entry.request()
    let end = entry.fail()
    #expect(end.ended == .failed)
    #expect(!end.unstashed)
    #expect(!entry.machine.hasData)
    #expect(entry.machine.isError)
  }

  @Test("a failed attempt keeps its parts through the wait, and a cancellation then keeps them too")
  func partsOutliveAFailedAttempt() {
    var entry = loaded(resets: true)
    entry.request()
    _ = progress(&entry)
    entry.fail(retryAfter: 5)
    #expect(entry.machine.hasData)
    #expect(!entry.machine.isError)
    #expect(!entry.cancel().unstashed)
    #expect(entry.machine.hasData)
  }

  @Test("a reset waits for the network before it puts data away")
  func resetWaitsForTheNetwork() {
    var entry = loaded(resets: true)
    entry.online(false)
    let rest = entry.request()
    #expect(!rest.stashed)
    #expect(entry.machine.hasData)
    #expect(entry.online(true).stashed)
    #expect(!entry.machine.hasData)
  }

  @Test("after a write, a part or a seed nothing is brought back", arguments: 0...2)
  func otherDataForgetsTheShelf(way: Int) {
    var entry = loaded(resets: true)
    entry.request()
    switch way {
    case 0: entry.write()
    case 1: _ = progress(&entry)
    default:
      _ = entry.machine.initialDataPlaced(updatedAt: entry.environment.now, in: entry.environment)
    }
    #expect(entry.machine.fetch?.undo.stashed == nil)
    let end = entry.cancel()
    #expect(!end.unstashed)
    #expect(entry.machine.hasData)
    #expect(entry.machine.dataUpdatedAt == entry.environment.now)
  }

  /// Every order of up to five events keeps the machine's rules.
  @Test func everySmallWorldKeepsTheRules() {
    enum Event: CaseIterable {
      case request, supersede, progress, succeed, fail, cancel, write, clear
    }
    func explore(_ entry: EntryDriver, _ trace: [Event]) {
      guard trace.count < 5 else { return }
      for event in Event.allCases {
        var next = entry
        next.pass(to: Double(trace.count + 3))
        switch event {
        case .request: next.request(clientLease: true)
        case .supersede: next.request(superseding: true)
        case .progress: _ = progress(&next)
        case .succeed: next.succeed()
        case .fail: next.fail()
        case .cancel: next.cancel()
        case .write: next.write()
        case .clear: _ = next.machine.cleared(in: next.environment)
        }
        let broken = next.machine.brokenInvariants(at: next.environment.now.instant)
        let isStashedBesideData = next.machine.hasData && next.machine.fetch?.undo.stashed != nil
        if !broken.isEmpty || isStashedBesideData {
          Issue.record("\(trace + [event]): \(broken)")
          return
        }
        explore(next, trace + [event])
      }
    }
    explore(loaded(resets: true), [])
  }
}
