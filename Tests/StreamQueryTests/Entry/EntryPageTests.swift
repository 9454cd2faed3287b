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
    _ = entry.machine.requested(.manual, superseding: true, direction: direction, in: entry.world)
  }

  private func fail(_ entry: inout EntryDriver) {
    _ = entry.machine.attemptFailed(entry.currentID, retryAfter: nil, in: entry.world)
  }

  @Test("I11: the direction is that of the running fetch, or else of the last one")
  func directionIsKept() {
    var entry = loaded()
    #expect(entry.machine.direction == nil)
    page(&entry, .next)
    #expect(entry.machine.current?.direction == .next)
    entry.succeed()
    #expect(entry.machine.direction == .next)
    _ = entry.machine.requested(.manual, in: entry.world)
    #expect(entry.machine.direction == nil)
  }

  @Test func cancellingAPageBringsTheOldDirectionBack() {
    var entry = loaded()
    page(&entry, .next)
    entry.succeed()
    page(&entry, .previous)
    _ = entry.machine.requested(.manual, superseding: true, in: entry.world)
    page(&entry, .previous)
    _ = entry.machine.cancelRequested(in: entry.world)
    #expect(entry.machine.direction == .next)
    #expect(entry.machine.isIdle)
  }

  @Test("a page append does not clear an older invalidation", arguments: [false, true])
  func pageLeavesOlderMarks(isInFlight: Bool) {
    var entry = loaded()
    if isInFlight { page(&entry, .next) }
    _ = entry.machine.invalidated(refetches: false, in: entry.world)
    if !isInFlight { page(&entry, .next) }
    entry.succeed()
    #expect(entry.machine.isInvalidated)
    _ = entry.machine.requested(.manual, in: entry.world)
    entry.succeed()
    #expect(!entry.machine.isInvalidated)
  }

  @Test func aWriteClearsTheMarkBeforeThePageCame() {
    var entry = loaded()
    _ = entry.machine.invalidated(refetches: false, in: entry.world)
    page(&entry, .next)
    _ = entry.machine.written(updatedAt: entry.world.now, fencing: false, in: entry.world)
    entry.succeed()
    #expect(!entry.machine.isInvalidated)
  }

  @Test("a failed page's mark goes with the page that comes after all")
  func pageClearsThePageFailuresMark() {
    var entry = loaded()
    for _ in 0..<2 {
      page(&entry, .next)
      fail(&entry)
    }
    #expect(entry.machine.isInvalidated)
    page(&entry, .next)
    entry.succeed()
    #expect(!entry.machine.isInvalidated)
  }

  /// What marks an entry before, between and after failed pages: only pages' marks go with a page.
  @Test func onlyMarksOfPagesGoWithAPage() {
    enum Mark: CaseIterable { case nothing, failedPage, failedRefetch, invalidation }
    for first in Mark.allCases {
      for second in Mark.allCases {
        for third in Mark.allCases {
          var entry = loaded()
          let marks = [first, second, third]
          for mark in marks {
            switch mark {
            case .nothing: break
            case .failedPage:
              page(&entry, .previous)
              fail(&entry)
            case .failedRefetch:
              _ = entry.machine.requested(.manual, superseding: true, in: entry.world)
              fail(&entry)
            case .invalidation:
              _ = entry.machine.invalidated(refetches: false, in: entry.world)
            }
          }
          page(&entry, .next)
          entry.succeed()
          let isMarked = marks.contains(.failedRefetch) || marks.contains(.invalidation)
          #expect(entry.machine.isInvalidated == isMarked, "\(marks)")
        }
      }
    }
  }
}
