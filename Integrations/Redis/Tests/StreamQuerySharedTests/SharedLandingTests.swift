import StreamQuery
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

@testable import StreamQueryShared

/// What happens between the check of an answer and its landing.
struct SharedLandingTests {
  let world = World()

  @Test func anAnswerThatIsInvalidatedJustBeforeItLandsIsStale() throws {
    let first = world.machine()
    let isArmed = Dial(false)
    let query = world.bare()
      .staleTime(.seconds(10))
      .merge { [cache = first.cache] _, new in
        guard isArmed.value else { return new }
        isArmed.value = false
        // The log tells of a change while the answer, which was compared already, is merged.
        cache.apply { table in
          let marks = table.rows.values.flatMap(\.marks)
          return table.invalidated(marks, SharedVersion(milliseconds: .max, sequence: 0))
        }
        return new
      }
      .shared(through: first.cache)
    #expect(world.value(first, query) == 1)
    world.advance(10)
    isArmed.value = true
    _ = world.value(first, query)
    #expect(!isArmed.value)
    #expect(first.client.isStale(query))
  }
}
