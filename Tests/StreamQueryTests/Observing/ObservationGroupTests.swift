import StreamQueryTesting
import Synchronization
import Testing

@_spi(Adapters) @testable import StreamQuery

struct ObservationGroupTests {
  private let simulation = Simulation(seed: 3)
  private let client: QueryClient
  private let group: ObservationGroup

  init() {
    client = QueryClient(simulation: simulation)
    group = ObservationGroup(client)
  }

  private func observer(_ name: String) -> QueryObserver<String> {
    client.observer(of: Query(key: QueryKey(name)))
  }

  /// Position and data of each change, as one line of text.
  private func line(
    _ changes: [ObservationChange],
    _ observers: [QueryObserver<String>]
  ) -> String {
    changes.map { change in
      let result = observers.lazy.compactMap { change.result(of: $0) }.first
      return "\(change.position)=\(change.isOver ? "over" : result?.data ?? "-")"
    }
    .joined(separator: " ")
  }

  @Test func aMemberShowsItsStateWhenItComes() {
    client.setData("A", for: QueryKey("a"))
    let (a, b) = (observer("a"), observer("b"))
    expectEqual(line([group.insert(a), group.insert(b)], [a, b]), "0=A 1=-")
    expectEmpty(group.takeChanges())
  }

  @Test func aLookShowsTheNewestStateOfWhatChangedAndNothingElse() {
    let (a, b, c) = (observer("a"), observer("b"), observer("c"))
    for observer in [a, b, c] { _ = group.insert(observer) }
    for number in 1...1_000 { client.setData("\(number)", for: a.query) }
    client.setData("B", for: b.query)
    expectEqual(line(group.takeChanges(), [a, b, c]), "0=1000 1=B")
    expectEmpty(group.takeChanges())
    client.setData("B2", for: b.query)
    expectEqual(line(group.takeChanges(), [a, b, c]), "1=B2")
  }

  @Test func aLookShowsWholeTransactions() {
    let (a, b) = (observer("a"), observer("b"))
    for observer in [a, b] {
      _ = group.insert(observer)
      client.setData("old", for: observer.query)
    }
    _ = group.takeChanges()
    client.updateData(matching: .all, of: String.self) { _, value in value = "new" }
    expectEqual(line(group.takeChanges(), [a, b]), "0=new 1=new")
  }

  @Test func aChangeIsOnlyThatOfItsObserver() {
    let (a, b) = (observer("a"), observer("b"))
    let change = group.insert(a)
    expectNil(change.result(of: b))
    expectEqual(change.result(of: a)?.isPending, true)
  }

  @Test func aMemberIsNamedWithoutItsObserver() {
    let (a, b) = (observer("a"), observer("b"))
    let (first, second) = (group.insert(a), group.insert(b))
    let members = [first.member(of: a), second.member(of: b), first.member(of: b), .init()]
    expectEqual(members.map(\.position), [0, 1, -1, -1])
    func data(_ change: ObservationChange) -> [String?] {
      members.map { change.result(of: $0)?.data }
    }
    client.setData("A", for: QueryKey("a"))
    client.setData("B", for: QueryKey("b"))
    expectEqual(group.takeChanges().map(data), [["A", nil, nil, nil], [nil, "B", nil, nil]])
    client.shutDown()
    let ends = group.takeChanges().map { change in members.map { change.ends($0) } }
    expectEqual(ends, [[true, false, false, false], [false, true, false, false]])
  }

  @Test func aMemberThatFollowsAnotherKeyStays() {
    let a = observer("a")
    _ = group.insert(a)
    client.setData("B", for: QueryKey("b"))
    a.update(query: Query(key: QueryKey("b")))
    expectEqual(line(group.takeChanges(), [a]), "0=B")
    client.setData("A", for: QueryKey("a"))
    expectEmpty(group.takeChanges())
  }

  @Test func aPositionThatIsFreeIsUsedAgainAndShowsNothingOfBefore() {
    let (a, b) = (observer("a"), observer("b"))
    _ = group.insert(a)
    client.setData("A", for: a.query)
    group.remove(0)
    group.remove(0)
    group.remove(-1)
    group.remove(.max)
    expectEmpty(group.takeChanges())
    expectEqual(group.insert(b).position, 0)
    client.setData("A2", for: a.query)
    expectEmpty(group.takeChanges())
    client.setData("B", for: b.query)
    expectEqual(line(group.takeChanges(), [a, b]), "0=B")
    expectEqual(a.result.data, "A2")
  }

  @Test func twoMembersOfOnePositionShowTheNewOneOnce() {
    let (a, b) = (observer("a"), observer("b"))
    _ = group.insert(a)
    client.setData("A", for: a.query)
    group.remove(0)
    _ = group.insert(b)
    client.setData("B", for: b.query)
    expectEqual(line(group.takeChanges(), [a, b]), "0=B")
  }

  @Test func aMemberMayBeIteratedAsWell() {
    let a = observer("a")
    let early = simulation.record(a.stream)
    simulation.settle()
    _ = group.insert(a)
    client.setData("A", for: a.query)
    expectEqual(line(group.takeChanges(), [a]), "0=A")
    client.setData("A2", for: a.query)
    expectEqual(line(group.takeChanges(), [a]), "0=A2")
    group.remove(0)
    client.setData("A3", for: a.query)
    simulation.settle()
    expectEqual(early.values.last?.data, "A3")
    expectEmpty(group.takeChanges())
  }

  @Test func anObserverThatIsReleasedIsOver() {
    var a: QueryObserver<String>? = observer("a")
    if let a { _ = group.insert(a) }
    a = nil
    let changes = group.takeChanges()
    expectEqual(changes.map(\.isOver), [true])
    group.remove(0)
    expectEmpty(group.takeChanges())
  }

  @Test func aReaderWaitsOnceForAllAndEndsWithTheClient() {
    let (group, client) = (group, client)
    let observers = ["a", "b"].map(observer)
    for observer in observers { _ = group.insert(observer) }
    let lines = LineLog()
    let task = simulation.task {
      while let changes = await group.next() {
        lines.add(
          changes.map { "\($0.position)\($0.isOver ? " over" : "")" }.joined(separator: ", ")
        )
      }
      lines.add("end")
    }
    simulation.settle()
    expectEqual(lines.all, [])
    client.setData("1", for: observers[1].query)
    client.setData("0", for: observers[0].query)
    simulation.settle()
    expectEqual(lines.all, ["1, 0"])
    client.shutDown()
    simulation.settle()
    expectEqual(lines.all, ["1, 0", "0 over, 1 over", "end"])
    // A group retains no member.
    withExtendedLifetime((task, observers)) {}
  }

  @Test func aReaderThatIsCancelledEndsAndLosesNothing() {
    let group = group
    let a = observer("a")
    _ = group.insert(a)
    let lines = LineLog()
    let task = simulation.task { lines.add(await group.next() == nil ? "end" : "news") }
    simulation.settle()
    task.cancel()
    simulation.settle()
    expectEqual(lines.all, ["end"])
    client.setData("A", for: a.query)
    expectEqual(line(group.takeChanges(), [a]), "0=A")
  }

  @Test func aGroupOfAClientThatIsShutDownIsOver() {
    client.shutDown()
    let late = ObservationGroup(client)
    expect(late.insert(observer("a")).isOver)
    let lines = LineLog()
    _ = simulation.task { lines.add(await late.next() == nil ? "end" : "news") }
    simulation.settle()
    expectEqual(lines.all, ["end"])
  }

  @Test func aGroupKeepsNeitherItsClientNorItsMembersAndMayGoBeforeThem() {
    weak var released: QueryClient?
    do {
      let client = QueryClient(simulation: simulation)
      released = client
      let group = ObservationGroup(client)
      let observer = client.observer(of: Query<String>(key: "a"))
      _ = group.insert(observer)
    }
    expectNil(released)
    let a = observer("a")
    do {
      let short = ObservationGroup(client)
      _ = short.insert(a)
    }
    _ = group.insert(a)
    client.setData("A", for: a.query)
    expectEqual(line(group.takeChanges(), [a]), "0=A")
  }

  @Test func aListIsReadAsAWhole() {
    let list = client.observer(all: ["a", "b"].map { AnyQuery(Query<String>(key: QueryKey($0))) })
    expectEqual(group.insert(list), [0, 1])
    client.setData("A", for: QueryKey("a"))
    expectEqual(group.takeChanges().map(\.position), [0])
    expectEqual(list.results.results(of: String.self).map(\.data), ["A", nil])
  }
}

private final class LineLog: Sendable {
  private let lines = TestLock<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
