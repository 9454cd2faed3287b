import Testing

@testable import StreamQuery

/// What a caller that asks for a value gets of what it finds: each test is a row of the table.
@Suite("What a caller finds: Q03, Q04, T41") struct FetchDecisionTests {
  private static let needs: [CachePolicy] = [
    .ifStale, .ifMissing, .ifMissingElseRevalidate, .always,
  ]

  /// The decisions for each need, in the order of the table.
  private func decisions(_ entry: EntryDriver, canFetch: Bool = true) -> [FetchDecision] {
    Self.needs.map {
      entry.machine.decision(
        for: $0,
        .after(.seconds(5)),
        canFetch: canFetch,
        at: entry.environment.now.instant
      )
    }
  }

  private let fresh = EntryDriver.withData()
  private var stale: EntryDriver {
    var entry = EntryDriver.withData()
    entry.pass(to: 5)
    return entry
  }

  @Test func freshDataIsForEveryoneButWhoWantsANewAnswer() {
    let hit = FetchDecision.useCached(.hit, revalidates: false)
    expectEqual(decisions(fresh), [hit, hit, hit, .fetch])
  }

  @Test func staleDataIsForThoseWhoOnlyWantSomeAndMayBeRefetchedBehindThem() {
    expectEqual(
      decisions(stale),
      [
        .fetch, .useCached(.staleHit, revalidates: false), .useCached(.staleHit, revalidates: true),
        .fetch,
      ]
    )
  }

  @Test func invalidatedDataIsStaleAtAnyAge() {
    var entry = fresh
    entry.invalidate()
    expectEqual(decisions(entry), decisions(stale))
  }

  @Test func whereNothingIsCachedEveryoneFetches() {
    expectEqual(decisions(EntryDriver()), [.fetch, .fetch, .fetch, .fetch])
  }

  @Test func withoutAFetchCachedDataIsAllThereIs() {
    let staleHit = FetchDecision.useCached(.staleHit, revalidates: false)
    expectEqual(
      decisions(stale, canFetch: false),
      [.missingFetch, staleHit, staleHit, .missingFetch]
    )
    expectEqual(
      decisions(EntryDriver(), canFetch: false),
      Array(repeating: .missingFetch, count: 4)
    )
  }

  @Test func whoHasNoFetchStillJoinsOneThatRuns() {
    var entry = EntryDriver()
    entry.request()
    expectEqual(decisions(entry, canFetch: false), [.fetch, .fetch, .fetch, .missingFetch])
  }

  @Test func neverStaleDataIsFreshEvenIfInvalidated() {
    var entry = fresh
    entry.invalidate()
    entry.pass(to: 1_000)
    let decision = entry.machine.decision(
      for: .ifStale,
      .static,
      canFetch: true,
      at: entry.environment.now.instant
    )
    expectEqual(decision, .useCached(.hit, revalidates: false))
  }
}
