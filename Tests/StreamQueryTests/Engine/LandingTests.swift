import Testing

@testable import StreamQuery

/// How a fetched value becomes the data.
struct LandingTests {
  private func landing(
    _ query: Query<[Int]>,
    join: (any FetchProgress)? = nil
  ) -> Landing {
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    let key = EntryKey(query.key).key
    let resolved = ResolvedQuery(query.definition, for: key, defaults: defaults)
    return Landing(fetched: TypedBox([1, 2]), join: join, query: resolved, key: key)
  }

  private func value(_ landing: Landing, over present: [Int]?) -> [Int] {
    landing.value(over: present.map { TypedBox($0) }).value(as: [Int].self)
  }

  private let plain = Query<[Int]>("n") { [] }.sharing(.off)
  private let merging = Query<[Int]>("n") { [] }.merge { old, new in old + new }

  private final class Joining: FetchProgress {
    let joins = true

    func landed(on present: ValueBox?) -> ValueBox? {
      TypedBox([0] + (present?.value(as: [Int].self) ?? []))
    }
  }

  private final class JoiningNothing: FetchProgress {
    let joins = true

    func landed(on present: ValueBox?) -> ValueBox? { nil }
  }

  @Test func aPlainValueNeedsNoDataAndLandsAsItIs() {
    let landing = landing(plain)
    expect(!landing.usesData)
    expectEqual(value(landing, over: [9]), [1, 2])
  }

  @Test func aValueThatCannotBeComparedLandsAsItIsWhateverIsCached() {
    struct Opaque: Sendable { var number: Int }
    let query = Query<Opaque>("n") { Opaque(number: 0) }
    let key = EntryKey(query.key).key
    let defaults = DefaultsTable(client: QueryDefaults(), failureInvalidates: true)
    let fetched = TypedBox(Opaque(number: 1))
    let landing = Landing(
      fetched: fetched,
      join: nil,
      query: ResolvedQuery(query.definition, for: key, defaults: defaults),
      key: key
    )
    // It is made again if the data changes meanwhile, which only the type would tell: the value is the same.
    expect(landing.usesData)
    expectEqual(landing.rounds, 3)
    expectNil(landing.merge)
    #expect(landing.value(over: TypedBox(Opaque(number: 2))) === fetched)
  }

  @Test func aMergeIsGivenUpAfterThreeRounds() {
    let landing = landing(merging)
    expect(landing.usesData)
    expectEqual(landing.rounds, 3)
    expect(!landing.isEndless)
    expectEqual(value(landing, over: [9]), [9, 1, 2])
    expectEqual(value(landing, over: nil), [1, 2], "there is nothing to merge with")
  }

  @Test func aJoinIsMadeUntilItLandsAndSharesNothingMore() {
    let landing = landing(Query<[Int]>("n") { [] }, join: Joining())
    expect(landing.usesData)
    expectEqual(landing.rounds, .max)
    expectNil(landing.merge)
    expect(!landing.isEndless, "it runs no user code")
    expectEqual(value(landing, over: [9]), [0, 9])
  }

  @Test func aMergeFollowsAJoinAndIsThenRepeatedWithoutEnd() {
    let landing = landing(merging, join: Joining())
    expectEqual(landing.rounds, .max)
    expect(landing.isEndless)
    expectEqual(value(landing, over: [9]), [9, 0, 9])
  }

  @Test func aJoinThatHasNothingToAddLeavesTheValue() {
    expectEqual(value(landing(plain, join: JoiningNothing()), over: [9]), [1, 2])
  }
}
