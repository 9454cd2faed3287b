import Testing

@testable import StreamQuery

/// Whether a value that was made outside the lock may be applied.
struct ResolutionTests {
  private let driver = CacheDriver()
  private let key = EntryKey(Query<Int>.n().key)

  private var query: ResolvedQuery {
    let query = Query<Int>.n().initialData(1)
    return ResolvedQuery(query.definition, for: key.key, defaults: driver.state.defaults.table)
  }

  private func current(_ resolution: Resolution, isLast: Bool) -> Resolution? {
    driver.state.current(resolution, at: driver.state.find(key), isLast: isLast)
  }

  @Test(arguments: [false, true])
  func anEntryWithoutDataNeedsToKnowTheInitialData(isLast: Bool) {
    var resolution = Resolution(query: query)
    expectNil(current(resolution, isLast: isLast))
    resolution.isDataKnown = true
    expect(current(resolution, isLast: isLast) != nil)
  }

  @Test func answersAboutAnotherStateOfTheEntryStandOnlyInTheLastRound() {
    driver.observe(.n())
    let revision = driver.slot(of: .n())?.revision
    var resolution = Resolution(query: query, isDataKnown: true, revision: revision)
    expect(current(resolution, isLast: false) != nil)
    resolution.revision = revision.map { $0 &+ 1 }
    expectNil(current(resolution, isLast: false))
    expect(current(resolution, isLast: true) != nil)
    resolution.revision = nil
    expect(current(resolution, isLast: false) != nil)
  }

  @Test(arguments: [false, true], [false, true])
  func dataOfAStoreIsDecodedAgainIfTheStoreChanged(hasData: Bool, isLast: Bool) {
    for (reads, removals, marks) in (0..<8).map({ ($0 & 1, $0 >> 1 & 1, $0 >> 2) }) {
      let data = hasData ? InitialData(of: query) : nil
      let resolution = Resolution(
        query: query,
        initialData: data,
        isDataKnown: true,
        kept: KeptVersion()
      )
      driver.state.kept = KeptVersion(reads: reads, removals: removals, marks: marks)
      let isChanged = removals + marks > 0
      let result = current(resolution, isLast: isLast)
      // An observer that waits for a store must not miss that it was read, in no round.
      expectEqual(result == nil, reads > 0 || hasData && isChanged && !isLast)
      guard let result else { continue }
      expectEqual(result.initialData != nil, hasData && removals == 0)
      expectEqual(
        result.initialData.map(\.isInvalidated),
        result.initialData.map { _ in marks > 0 }
      )
    }
  }
}
