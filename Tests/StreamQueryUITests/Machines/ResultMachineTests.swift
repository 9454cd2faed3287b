import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQueryUI

struct ResultMachineTests {
  private let client = QueryClient(simulation: Simulation())

  private func query(_ name: String) -> Query<[Int]> { Query(key: QueryKey(name)) }

  /// The results of a query after each write of it.
  private func results(_ writes: [Int]..., of query: Query<[Int]>) -> [QueryResult<[Int]>] {
    writes.map { data in
      client.setData(data, for: query)
      return client.result(for: query)
    }
  }

  private func whole(keepsPreviousData: Bool = false) -> ResultMachine<[Int], [Int]> {
    ResultMachine(keepsPreviousData: keepsPreviousData)
  }

  /// Reads fields, brings a result, and says which of them change.
  private func changes<Selected>(
    of fields: ResultField...,
    in machine: inout ResultMachine<[Int], Selected>,
    by result: QueryResult<[Int]>
  ) -> [ResultField]? {
    for field in fields { machine.wasRead(field) }
    guard let arrival = machine.arrived(result) else { return nil }
    machine.apply(arrival)
    return Array(arrival.changed)
  }

  @Test func nothingIsShownAtFirst() {
    let machine = whole()
    expect(machine.shown.isPending && !machine.shown.isFetching)
    expectNil(machine.shown.data)
  }

  @Test func onlyFieldsThatWereReadAndDifferChange() {
    var machine = whole()
    let results = results([1], [2], of: query("a"))
    expectEqual(changes(in: &machine, by: results[0]), [])
    expectEqual(changes(of: .data, .status, .isPending, in: &machine, by: results[1]), [.data])
    expectEqual(machine.shown.data, [2])
  }

  @Test func aChangeIsToldOnceUntilItIsReadAgain() {
    var machine = whole()
    let results = results([1], [2], [3], [4], of: query("a"))
    expectEqual(changes(of: .data, in: &machine, by: results[0]), [.data])
    expectEqual(changes(in: &machine, by: results[1]), [])
    expectEqual(changes(of: .data, in: &machine, by: results[2]), [.data])
    expectEqual(changes(of: .error, in: &machine, by: results[3]), [])
  }

  @Test func whatWasReadAndDidNotChangeIsStillRead() {
    var machine = whole()
    let results = results([1], [2], of: query("a"))
    expectEqual(changes(of: .isSuccess, .isStale, in: &machine, by: results[0])?.isEmpty, false)
    _ = changes(of: .isError, in: &machine, by: results[1])
    client.setData([9], for: query("a"))
    expectEqual(changes(in: &machine, by: .idle), [])
  }

  @Test func theSameResultIsNoArrival() {
    var machine = whole()
    let result = results([1], of: query("a"))[0]
    expectEqual(changes(of: .result, in: &machine, by: result), [.result])
    expectNil(changes(of: .result, in: &machine, by: result))
  }

  @Test func equalDataDoesNotChangeButItsTimeMay() {
    var machine = whole()
    let (a, b) = (results([1], of: query("a"))[0], results([1], of: query("b"))[0])
    expectEqual(changes(of: .data, in: &machine, by: a), [.data])
    expectEqual(changes(of: .data, .result, in: &machine, by: b), [.result])
  }

  @Test func aSelectionIsMadeOncePerDataAndToldIfItIsAnother() {
    let calls = Calls()
    var machine = ResultMachine<[Int], Int>(
      _SelectStep {
        calls.add()
        return $0.count
      },
      keepsPreviousData: false
    )
    let results = results([1], [2], [2, 3], of: query("a"))
    expectEqual(changes(of: .data, in: &machine, by: results[0]), [.data])
    expectEqual(changes(of: .data, .isFetching, in: &machine, by: results[1]), [])
    expectEqual(changes(in: &machine, by: results[2]), [.data])
    expectEqual(machine.shown.data, 2)
    expectEqual(machine.stored.data, [2, 3])
    expectEqual(calls.count, 3)
  }

  @Test func aSelectionThatThrowsShowsItsErrorAndTheLastOne() {
    struct Odd: Error {}
    var machine = ResultMachine<[Int], Int>(
      _SelectStep { if $0.isEmpty { throw Odd() } else { $0.count } },
      keepsPreviousData: false
    )
    let results = results([1], [], of: query("a"))
    _ = changes(in: &machine, by: results[0])
    expectEqual(
      changes(of: .data, .error, .isError, in: &machine, by: results[1]),
      [.error, .isError]
    )
    expectEqual(machine.shown.data, 1)
    expect(machine.stored.isSuccess)
  }

  @Test func withoutReadersOnlyASelectionWaits() {
    let calls = Calls()
    var whole = whole()
    var counted = ResultMachine<[Int], Int>(
      _SelectStep {
        calls.add()
        return $0.count
      },
      keepsPreviousData: false
    )
    let results = results([1], [2, 3], of: query("a"))
    for result in results {
      let taken = (whole.arrivedUnread(result), counted.arrivedUnread(result))
      #expect(taken == (true, true))
    }
    expect(!whole.hasUnread && whole.shown.data == [2, 3] && whole.revision == 2)
    expect(counted.hasUnread && counted.shown.data == nil && calls.count == 0)
    expectEqual(counted.takeUnread()?.data, [2, 3])
    expect(!counted.hasUnread && counted.takeUnread()?.data == nil)
    _ = whole.arrivedUnread(results[1])
    expectEqual(whole.revision, 2)
  }

  @Test func whatSomebodyHasReadIsNotTakenUnread() {
    var machine = whole()
    machine.wasRead(.data)
    let isTaken = machine.arrivedUnread(results([1], of: query("a"))[0])
    expect(!isTaken && machine.isNew)
  }

  @Test func thePreviousDataIsKeptOnlyIfAskedFor() {
    for keeps in [false, true] {
      var machine = whole(keepsPreviousData: keeps)
      _ = changes(in: &machine, by: results([1], of: query("a"))[0])
      expectEqual(
        changes(of: .data, .isPlaceholderData, in: &machine, by: client.result(for: query("none"))),
        keeps ? [.isPlaceholderData] : [.data]
      )
      expectEqual(machine.shown.data, keeps ? [1] : nil)
      expectNil(machine.stored.data)
    }
  }

  @Test func pagesChangeByTheirFacts() {
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0) { page, _ in
      page
    } nextPageParam: {
      $0.lastPage < 1 ? $0.lastPage + 1 : nil
    }
    var machine = ResultMachine<Pages<Int, Int>, Pages<Int, Int>>(keepsPreviousData: false)
    func shown(_ pages: [Int]) -> [ResultField] {
      if let data = Pages(pages, params: pages) { client.setData(data, for: feed) }
      machine.wasRead(.hasNextPage)
      machine.wasRead(.isFetchingNextPage)
      guard let arrival = machine.arrived(client.result(for: feed)) else { return [] }
      machine.apply(arrival)
      return Array(arrival.changed)
    }
    expectEqual(shown([0]), [.hasNextPage])
    expectEqual(shown([-1]), [])
    expectEqual(shown([0, 1]), [.hasNextPage])
    expectEqual(ResultFields(pageFactsOf: client.result(for: query("a"))), ResultFields())
  }
}

/// Counts calls.
private final class Calls: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }
}
