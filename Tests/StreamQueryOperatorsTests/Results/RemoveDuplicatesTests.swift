@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct RemoveDuplicatesTests {
  @Test func equalDataIsShownOnceT18() {
    expectResults("p--x----y-x|", of: "p(p*)-x(x*)(x')(2:x)-y-x|") { $0.removeDuplicates() }
  }

  @Test func aChangeOfStatusIsNoDuplicate() {
    expectResults("p-(!)-p-(!2)-x-(x!)-(x!2)-x|", of: "p-(!)-p-(!2)-x-(x!)-(x!2)-x|") {
      $0.removeDuplicates()
    }
  }

  @Test func theSameErrorIsADuplicate() {
    expectResults("(!)---(x!)|", of: "(!)-(!*)-(x!)|") { $0.removeDuplicates() }
  }

  @Test(arguments: [true, false])
  func equalErrorsOfTwoFetchesAreDuplicates(_ isComparable: Bool) {
    struct Offline: Error, Equatable { var code = 1 }
    struct Other: Error { var code = 1 }
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let failures = Mutex(0)
    let query = Query<Int>("n") {
      let count = failures.withLock { count in
        count += 1
        return count
      }
      if !isComparable { throw Other() }
      throw Offline(code: count > 2 ? 2 : 1)
    }.retry(0)
    // An error beside data stays while the data is refetched.
    client.setData(0, for: query)
    let recording = simulation.record(
      client.stream(query).removeDuplicates().map { "\(String(describing: $0.error))" }
    )
    simulation.settle()
    for _ in 0..<2 { simulation.run { await client.refetch(query) } }
    expectEqual(recording.values.count { $0 != "nil" }, isComparable ? 2 : 3)
    recording.cancel()
  }

  @Test func realDataAfterAnEqualPlaceholderIsNoDuplicate() {
    expectResults("(x~)---x|", of: "(x~)-(x*~)-(x')|") { $0.removeDuplicates() }
  }

  @Test func byAPropertyNothingElseCounts() {
    expectResults("x---(abc)-p|", of: "x-y-(abc)-p|") {
      $0.removeDuplicates(by: \.data?.count)
    }
    expectResults("p-(p*)---(x)|", of: "p-(p*)-(x*)-x|") { $0.removeDuplicates(by: \.isFetching) }
  }

  @Test func byAPropertyThatIsNilTheFirstResultIsLetThrough() {
    expectResults("p---x|", of: "p-(p*)-x|") { $0.removeDuplicates(by: { $0.data }) }
  }

  @Test func byAClosureTheLastResultThatWasLetThroughIsCompared() {
    expectResults("a---(abc)|", of: "a-(ab)-(abc)|") {
      $0.removeDuplicates { old, new in
        (new.data?.count ?? 0) - (old.data?.count ?? 0) < 2
      }
    }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.removeDuplicates() }
    expectEndsPassThrough { $0.removeDuplicates(by: \.data) }
    expectEndsPassThrough { $0.removeDuplicates { $0.data == $1.data } }
  }

  @Test func aSelectionThatStaysEqualHidesTheRefreshT17() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<[Int]>(.value([1, 2]), .value([3, 4]), .value([5]))
    let query = Query("n", fetch: fetch)
    let recording = simulation.record(
      client.stream(query).select(\.count).removeDuplicates()
    )
    simulation.settle()
    for _ in 0..<2 {
      simulation.task("again") { await client.invalidate(query) }
      simulation.settle()
    }
    expectEqual(fetch.callCount, 3)
    expectEqual(recording.values.map(\.data), [nil, 2, 1])
  }
}
