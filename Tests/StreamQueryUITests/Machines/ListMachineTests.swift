@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

struct ListMachineTests {
  private struct Broken: Error {}

  /// Results, and what is to be known of them: a cell is a key with its state.
  private struct Listing {
    var results: QueryListResults?
    var cells: [String]?

    var keys: [Character] { (cells ?? []).compactMap(\.first) }
    var errors: [String] { (cells ?? []).filter { $0.contains("!") } }

    /// What a reader of a field sees.
    func value(of field: ResultField) -> String {
      switch field {
      case .isPending: "\(cells?.contains { $0.hasSuffix("-") } ?? true)"
      case .isFetching: "\(cells?.contains { $0.contains("…") } ?? false)"
      case .isSuccess: "\(cells?.allSatisfy { Int($0.dropFirst()) != nil } ?? false)"
      case .error: "\(errors)"
      default: "\(String(describing: cells))"
      }
    }

    /// What a reader of a position sees: another order may have put another key there.
    func value(at position: Int) -> String {
      guard let cells, cells.indices.contains(position) else { return "none in \(keys)" }
      return "\(cells[position]) in \(keys)"
    }
  }

  private let simulation = Simulation()
  private let client: QueryClient
  private var observers: [QueryObserver<Int>] = []
  private var lists: [QueryListObserver] = []

  init() { client = QueryClient(simulation: simulation) }

  /// As an observer has them that has seen no change: a result is the same until its query changes.
  private mutating func results(of keys: [QueryKey<Int>]) -> QueryListResults {
    let queries = keys.map { AnyQuery(Query(key: $0).enabled(false).staleTime(.static)) }
    let list = client.observer(all: queries)
    lists.append(list)
    return list.results
  }

  private mutating func observe(_ key: QueryKey<Int>, _ step: ScriptedFetch<Int>.Step) {
    let query = Query(key: key, fetch: ScriptedFetch(step)).retry(0).refetchOnSubscribe(.always)
    observers.append(client.observer(of: query))
  }

  /// Brings keys to a state, and lists them.
  ///
  /// `a1` has that data, `a1!` failed with it, `a1…` fetches, `a-` has nothing. Each failure is another
  /// one.
  private mutating func listing(_ cells: String...) -> Listing {
    let keys = cells.map { QueryKey<Int>(String($0.prefix(1))) }
    for (key, cell) in zip(keys, cells) {
      let data = Int(cell.filter(\.isNumber))
      if let data, client.data(for: key) != data { client.setData(data, for: key) }
      if cell.hasSuffix("!") {
        observe(key, .failure(Broken()))
      } else if cell.hasSuffix("…") {
        observe(key, .value(9, after: .seconds(9)))
      }
      simulation.settle()
    }
    return Listing(results: results(of: keys), cells: cells)
  }

  /// Reads, brings results, and says who is told of what.
  private func told(
    _ machine: inout ListMachine,
    reading positions: [Int] = [],
    _ fields: ResultField...,
    of listing: Listing?
  ) -> String {
    for position in positions { _ = machine.wasRead(position) }
    for field in fields { _ = machine.wasRead(field) }
    guard let arrival = machine.arrived(listing?.results) else { return "same" }
    expectEqual(arrival.concernsReaders, !(arrival.positions.isEmpty && arrival.fields.isEmpty))
    machine.apply(arrival)
    let fields = arrival.fields.map { "\($0)" }.joined(separator: ", ")
    return "\(arrival.positions) [\(fields)]"
  }

  @Test func nothingIsShownAtFirstAndNothingAgainIsNoArrival() {
    var machine = ListMachine()
    expectNil(machine.shown)
    expectEqual(told(&machine, reading: [0], .result, of: nil), "same")
  }

  @Test mutating func onlyPositionsThatWereReadAndDifferAreTold() {
    let listings = [
      listing("a1", "b1", "c1"), listing("a2", "b1", "c2"), listing("a2", "b2", "c3"),
    ]
    var machine = ListMachine()
    expectEqual(told(&machine, of: listings[0]), "[] []")
    expectEqual(told(&machine, reading: [1, 0], of: listings[1]), "[0] []")
    // Told once, until it is read again; what did not change is still read.
    expectEqual(told(&machine, of: listings[2]), "[1] []")
    expectEqual(told(&machine, reading: [2], of: listings[1]), "[2] []")
    expectEqual(told(&machine, of: listings[1]), "same")
  }

  @Test mutating func anotherKeyAnywhereChangesEveryPositionThatWasRead() {
    let (old, new) = (listing("a1", "b1"), listing("a1", "c1"))
    var machine = ListMachine()
    _ = told(&machine, of: old)
    expectEqual(told(&machine, reading: [0, 1], of: new), "[0, 1] []")
  }

  @Test mutating func anotherOrderOrLengthChangesEveryPositionThatWasRead() {
    let (a, b) = (listing("a1"), listing("a1", "b1"))
    let (c, none) = (listing("b1", "a1"), listing())
    var machine = ListMachine()
    // A position is read only if it is there, but may be gone by now.
    expectEqual(told(&machine, reading: [0], of: a), "[0] []")
    expectEqual(told(&machine, reading: [0], of: b), "[0] []")
    expectEqual(told(&machine, reading: [1, 0], of: c), "[0, 1] []")
    expectEqual(told(&machine, reading: [1], of: none), "[1] []")
    expectEqual(told(&machine, of: nil), "[] []")
    expectEqual(told(&machine, reading: [5], of: a), "[5] []")
  }

  @Test mutating func aFieldIsToldIfItWasReadAndDiffers() {
    let (pending, one) = (listing("a-", "b-"), listing("a1", "b-"))
    let (both, other) = (listing("a1", "b1"), listing("a1", "b2"))
    let fetching = listing("a1", "b2…")
    var machine = ListMachine()
    // Nothing is pending as well.
    expectEqual(told(&machine, .isPending, .isSuccess, .isFetching, of: pending), "[] []")
    expectEqual(told(&machine, .result, of: one), "[] [result]")
    expectEqual(told(&machine, .result, of: both), "[] [result, isPending, isSuccess]")
    expectEqual(told(&machine, .isPending, .isSuccess, of: other), "[] []")
    expectEqual(told(&machine, .result, of: fetching), "[] [result, isFetching]")
    expectEqual(told(&machine, of: nil), "[] [isPending, isSuccess]")
  }

  @Test mutating func errorsAreToldByTheFailureAndNotByItsPosition() {
    let (fine, broken) = (listing("a1", "b1", "c1"), listing("a1", "b1!"))
    let (moved, again) = (listing("b1!", "a1"), listing("b1!", "a1"))
    var machine = ListMachine()
    _ = told(&machine, .error, of: fine)
    expectEqual(told(&machine, .error, of: broken), "[] [error]")
    // Each of these listings lets it fail once more.
    expectEqual(told(&machine, .error, of: moved), "[] [error]")
    expectEqual(told(&machine, .error, of: again), "[] [error]")
    // The same failure at another position, beside other data.
    client.setData(2, for: QueryKey("a"))
    let swapped = Listing(results: results(of: ["a", "b"]), cells: [])
    expectEqual(told(&machine, .error, .result, of: swapped), "[] [result]")
    expectEqual(machine.shown?.errors.count, 1)
    expectEqual(told(&machine, .error, of: fine), "[] [error]")
  }

  @Test func theFirstToReadSinceAChangeIsKnown() {
    var machine = ListMachine()
    let reads = [machine.wasRead(0), machine.wasRead(0), machine.wasRead(1)]
    let fields = [machine.wasRead(.error), machine.wasRead(.error), machine.wasRead(.result)]
    expect(reads == [true, false, true] && fields == [true, false, true])
  }

  @Test mutating func whatAReaderShowsMeanwhileStays() throws {
    let (old, newer) = (listing("a1"), listing("a2"))
    var machine = ListMachine()
    let early = machine.arrived(old.results)
    let arrival = try #require(early)
    expectEqual(told(&machine, of: newer), "[] []")
    machine.apply(arrival)
    expectEqual(machine.shown?[QueryKey<Int>("a")]?.data, 2)
    // So it is if what came meanwhile was shown already.
    let late = machine.arrived(old.results)
    expectEqual(told(&machine, of: newer), "same")
    machine.apply(try #require(late))
    expectEqual(machine.shown?[QueryKey<Int>("a")]?.data, 2)
  }

  // MARK: Every short sequence

  private enum Input: Hashable {
    case read(position: Int)
    case readField(ResultField)
    case arrive(Int)
    /// What arrived last and is not shown yet is shown: arrivals are nested in each other.
    case show
  }

  /// A machine beside what its readers know.
  private struct World {
    var machine = ListMachine()
    /// Arrivals that are not shown yet, and whether anything newer has come since.
    var arrivals: [(arrival: ListMachine.Arrival, listing: Int, isOld: Bool)] = []
    var shown = 0
    /// What those saw who were not told of a change since.
    var seenPositions: [Int: String] = [:]
    var seenFields: [ResultField: String] = [:]
  }

  private func apply(_ input: Input, to world: inout World, _ listings: [Listing]) -> String? {
    let shown = listings[world.shown]
    switch input {
    case .read(let position):
      let isFirst = world.machine.wasRead(position)
      guard isFirst == (world.seenPositions[position] == nil) else { return "wrong first reader" }
      world.seenPositions[position] = shown.value(at: position)
    case .readField(let field):
      let isFirst = world.machine.wasRead(field)
      guard isFirst == (world.seenFields[field] == nil) else { return "wrong first reader" }
      world.seenFields[field] = shown.value(of: field)
    case .arrive(let index):
      let arrived = world.machine.arrived(listings[index].results)
      guard (arrived == nil) == (index == world.shown) else { return "wrong arrival" }
      guard let arrived else {
        for other in world.arrivals.indices { world.arrivals[other].isOld = true }
        break
      }
      for position in arrived.positions {
        guard world.seenPositions.removeValue(forKey: position) != nil else {
          return "not a reader"
        }
        let isOther = shown.value(at: position) != listings[index].value(at: position)
        guard isOther || !shown.keys.indices.contains(position) else { return "told of nothing" }
      }
      for field in arrived.fields {
        guard world.seenFields.removeValue(forKey: field) != nil else { return "not a reader" }
        guard shown.value(of: field) != listings[index].value(of: field)
        else { return "told of nothing" }
      }
      world.arrivals.append((arrived, index, false))
    case .show:
      guard let next = world.arrivals.popLast() else { break }
      world.machine.apply(next.arrival)
      guard !next.isOld else { break }
      world.shown = next.listing
      for other in world.arrivals.indices { world.arrivals[other].isOld = true }
    }
    return check(world, listings)
  }

  private func check(_ world: World, _ listings: [Listing]) -> String? {
    let listing = listings[world.shown]
    switch (world.machine.shown, listing.results) {
    case (nil, nil): break
    case (let one?, let other?): guard one.isSame(as: other) else { return "shows another one" }
    case (_, _): return "shows another one"
    }
    // While something is about to be shown, its readers are told already.
    guard world.arrivals.isEmpty else { return nil }
    for (position, seen) in world.seenPositions where seen != listing.value(at: position) {
      return "position \(position) shows something else, and its reader was not told"
    }
    for (field, seen) in world.seenFields where seen != listing.value(of: field) {
      return "\(field) shows something else, and its reader was not told"
    }
    return nil
  }

  @Test mutating func readersAreToldOfWhatChangesForThemInEverySequence() {
    let (one, both) = (listing("a1", "b-"), listing("a1", "b2"))
    let listings = [Listing(), one, both, listing("a1", "b2!"), listing("a3")]
    // What has the same cell in two of them is the same.
    for (one, other) in listings.flatMap({ one in listings.map { (one, $0) } }) {
      let results = zip(one.results?.all ?? [], other.results?.all ?? [])
      for (index, pair) in results.enumerated() {
        expectEqual(pair.0.isSame(as: pair.1), one.cells?[index] == other.cells?[index])
      }
    }
    let inputs: [Input] = [
      .read(position: 0), .read(position: 1), .readField(.result), .readField(.isSuccess),
      .readField(.error), .arrive(0), .arrive(1), .arrive(2), .arrive(3), .arrive(4), .show,
    ]
    var count = 0
    func visit(_ world: World, _ path: [Input]) {
      guard path.count < 5 else { return }
      for input in inputs {
        // A reader between an arrival and its showing reads what is about to go.
        if !world.arrivals.isEmpty {
          switch input {
          case .read, .readField: continue
          case .arrive, .show: break
          }
        }
        var next = world
        count += 1
        if let fault = apply(input, to: &next, listings) {
          Issue.record("\(fault) after \(path + [input])")
          return
        }
        visit(next, path + [input])
      }
    }
    visit(World(), [])
    #expect(count > 50_000)
  }
}
