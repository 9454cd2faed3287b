@testable import StreamQuery
@testable import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct SharingTests {
  /// A row that shows which object it is.
  final class Row: Equatable, Identifiable, Sendable, CustomStringConvertible {
    let id: Int
    let name: String

    init(_ id: Int, _ name: String) {
      self.id = id
      self.name = name
    }

    static func == (lhs: Row, rhs: Row) -> Bool { lhs.id == rhs.id && lhs.name == rhs.name }

    var description: String { "\(id)\(name)" }
  }

  private let old = [Row(1, "a"), Row(2, "b"), Row(3, "c")]

  /// For each row, the position in the old list of the same object.
  private func origins(_ rows: [Row], in old: [Row]) -> [Int?] {
    rows.map { row in old.firstIndex { $0 === row } }
  }

  @Test func rowsThatDidNotChangeStayTheSameObjectsO22T18() {
    let new = [Row(3, "c"), Row(2, "B"), Row(4, "d"), Row(1, "a")]
    let shared = new.reusingUnchanged(from: old)
    expectEqual(shared, new)
    expectEqual(origins(shared, in: old), [2, nil, nil, 0])
  }

  @Test func anIdentityThatComesTwiceIsNoTrapT18() {
    let twice = [Row(1, "a"), Row(1, "x")]
    let shared = [Row(1, "x"), Row(1, "a")].reusingUnchanged(from: twice)
    expectEqual(shared.map(\.name), ["x", "a"])
    expectEqual(origins(shared, in: twice), [nil, nil])
    let moved = [Row(2, "b"), Row(3, "c"), Row(1, "a")].reusingUnchanged(from: twice)
    expectEqual(origins(moved, in: twice), [nil, nil, 0])
  }

  /// A row without an identity of its own.
  final class Cell: Equatable, Sendable {
    let name: String

    init(_ name: String) {
      self.name = name
    }

    static func == (lhs: Cell, rhs: Cell) -> Bool { lhs.name == rhs.name }
  }

  @Test func elementsWithoutIdentityAreSharedByPositionT18() {
    let old = ["a", "b", "c"].map(Cell.init)
    func origins(_ names: String...) -> [Int?] {
      let new = names.map(Cell.init)
      let shared = new.reusingUnchanged(from: old)
      expectEqual(shared, new)
      return shared.map { cell in old.firstIndex { $0 === cell } }
    }
    expectEqual(origins("a", "x", "c", "d"), [0, nil, 2, nil])
    expectEqual(origins("a"), [0])
    expectEqual(origins("b", "a"), [nil, nil])
    expectEqual(origins(), [])
  }

  @Test func nothingChangedMeansTheSameBoxT18() {
    let box = TypedBox(old)
    let equal = TypedBox([Row(1, "a"), Row(2, "b"), Row(3, "c")])
    let rule = SharingRule.of([Row].self)
    #expect(rule?.share(box, equal) === box)
    #expect(rule?.share(box, TypedBox([Row(1, "a")])) !== box)
    #expect(SharingRule.of([Row].self) === rule)
  }

  @Test func theOperatorSharesAcrossResultsO22() {
    expectResults("p-x-(x*)-x-(x!)-y-x|", of: "p-x-(x*)-(x')-(x'!)-y-x|") {
      $0.sharingUnchanged()
    }
  }

  @Test func equalDataIsOneDataForWhatFollowsT18() {
    expectDiagram("x-----y|", seeds: 0..<4) {
      $0.results("x-(x')-(x'')-y|").sharingUnchanged().values()
    }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.sharingUnchanged() }
  }

  /// The rows of a list that is fetched twice, as a stream shows them.
  private func refresh(
    _ make: (QueryClient, Query<[Row]>) -> any AsyncSequence<QueryResult<[Row]>, Never> & Sendable,
    _ change: (Query<[Row]>) -> Query<[Row]> = { $0 }
  ) -> [[Row]] {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let second = [Row(2, "b"), Row(1, "A")]
    let third = [Row(2, "b"), Row(1, "A")]
    let fetch = ScriptedFetch(.value([Row(1, "a"), Row(2, "b")]), .value(second), .value(third))
    let query = change(Query("rows", fetch: fetch))
    let recording = simulation.record(make(client, query))
    simulation.settle()
    for _ in 0..<2 {
      simulation.task("again") { await client.invalidate(query) }
      simulation.settle()
    }
    expectEqual(fetch.callCount, 3)
    return recording.values.filter { !$0.isFetching }.compactMap(\.data)
  }

  @Test func aRefreshOfAListKeepsTheRowsThatDidNotChangeO22() {
    let lists = [
      refresh { $0.stream($1).sharingUnchanged() },
      refresh { $0.stream($1) },
      refresh({ $0.stream($1).sharingUnchanged() }, { $0.sharing(.off) }),
    ]
    for states in lists {
      expectEqual(states.map(\.description), ["[1a, 2b]", "[2b, 1A]", "[2b, 1A]"])
      #expect(states[1][0] === states[0][1])
      #expect(states[1][1] !== states[0][0])
      #expect(states[2][0] === states[1][0] && states[2][1] === states[1][1])
    }
    let plain = refresh({ $0.stream($1) }, { $0.sharing(.off) })
    #expect(plain[1][0] !== plain[0][1])
  }

  @Test func anEqualAnswerWakesNobodyWhoReadsDataAloneAndMovesItsDateT18() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let query = Query("n", fetch: ScriptedFetch<Int>(.value(1, after: .seconds(1))))
    let values = simulation.record(client.results(of: query).values())
    let changes = simulation.record(client.results(of: query).changes(of: .data))
    let selected = Mutex(0)
    let selecting = simulation.record(
      client.results(of: query).select { number in
        selected.withLock { $0 += 1 }
        return "\(number)"
      }
    )
    let results = simulation.record(client.results(of: query))
    simulation.advance(by: .seconds(1))
    simulation.task("again") { await client.invalidate(query) }
    simulation.advance(by: .seconds(1))
    expectEqual(values.values, [1])
    #expect(changes.summaries == [.pending(isFetching: true), .success(1)])
    expectEqual(selected.withLock { $0 }, 1)
    #expect(selecting.summaries.last == .success("1"))
    let boxes = results.values.compactMap(\.snapshot.data)
    expect(boxes.count == 3 && boxes.allSatisfy { $0 === boxes[0] })
    let dates = results.values.filter { !$0.isFetching }.compactMap(\.dataUpdatedAt)
    #expect(dates.count == 2 && dates[0] < dates[1])
  }
}
