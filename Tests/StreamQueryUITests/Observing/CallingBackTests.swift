import Observation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// What is told of a change may call back at once.
@MainActor
struct CallingBackTests {
  private func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<4 {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  /// Reads, and acts at once when what was read is about to change.
  private func onChange(
    of read: @MainActor () -> Void,
    _ action: @escaping @MainActor @Sendable () -> Void
  ) {
    withObservationTracking(read) { MainActor.assumeIsolated(action) }
  }

  @Test("a reader that changes the client while it is told sees nothing of the former one")
  func anotherClientWhileTold() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      let query = Query<String>(key: "a")
      client.setData("old", for: query)
      other.setData("other", for: query)
      let observed = ObservedQuery(query, client: client)
      onChange(of: { _ = observed.data }) { observed.start(using: other) }
      client.setData("newer", for: query)
      simulation.settle()
      expectEqual(observed.data, "other")
    }
  }

  @Test("a context that changes the key applies nothing of the former one")
  func anotherKeyInAContext() {
    run { simulation, client in
      let (a, b) = (Query<String>(key: "a"), Query<String>(key: "b"))
      client.setData("B", for: b)
      let observed = ObservedQuery(a, client: client)
      let screen = Screen { observed.data }
      observed.changeContext = { change in
        observed.changeContext = nil
        observed.update(query: b)
        change()
        expectEqual(observed.data, "B")
      }
      client.setData("A", for: a)
      simulation.settle()
      expectEqual(screen.frames, [nil, "B"])
      observed.stop()
    }
  }

  @Test("what was taken for an object before it got another key is not shown")
  func anotherKeyOfAnotherObject() {
    run { simulation, client in
      let (a, b) = (Query<String>(key: "a"), Query<String>(key: "b"))
      client.setData("A", for: a)
      client.setData("B", for: b)
      let (first, second) = (ObservedQuery(a, client: client), ObservedQuery(a, client: client))
      var seen: [String?] = []
      for (told, moved) in [(first, second), (second, first)] {
        onChange(of: { _ = told.data }) {
          guard told.query.key == a.key else { return }
          moved.update(query: b)
          // Somebody reads it, so that what is brought does not wait for a reader.
          _ = moved.data
        }
        moved.changeContext = { change in
          change()
          seen.append(moved.data)
        }
      }
      client.setData("A2", for: a)
      simulation.settle()
      expectEqual(Set([first.data, second.data]), ["A2", "B"])
      let moved = first.query.key == b.key ? first : second
      expectEqual(moved.data, "B")
      expectEqual(seen, ["A2"])
      for observed in [first, second] { observed.changeContext = nil }
    }
  }

  @Test("that holds inside of a delivery of another client, too")
  func anotherKeyInADeliveryOfAnotherClient() {
    run { simulation, client in
      let other = QueryClient(simulation: simulation)
      let (a, b) = (Query<String>(key: "a"), Query<String>(key: "b"))
      client.setData("A", for: a)
      client.setData("B", for: b)
      let (first, second) = (ObservedQuery(a, client: client), ObservedQuery(a, client: client))
      let inner = ObservedQuery(a, client: other)
      var seen: [String?] = []
      for (told, moved) in [(first, second), (second, first)] {
        onChange(of: { _ = told.data }) {
          guard told.query.key == a.key, moved.query.key == a.key else { return }
          onChange(of: { _ = inner.data }) {
            moved.update(query: b)
            _ = moved.data
          }
          other.setData("inner", for: a)
          MainActorDelivery.of(other).deliverNow()
        }
        moved.changeContext = { change in
          change()
          seen.append(moved.data)
        }
      }
      client.setData("A2", for: a)
      simulation.settle()
      expectEqual(Set([first.data, second.data]), ["A2", "B"])
      expectEqual(inner.data, "inner")
      expectEqual(seen, ["A2"])
      for observed in [first, second] { observed.changeContext = nil }
      client.setData("B2", for: b)
      simulation.settle()
      expectEqual(Set([first.data, second.data]), ["A2", "B2"])
    }
  }

  @Test("what a reader brings in a delivery is not brought again, lest it is older")
  func aDeliveryInADelivery() {
    run { simulation, client in
      let query = Query<String>(key: "a")
      client.setData("A", for: query)
      let both = (0..<2).map { _ in ObservedQuery(query, client: client) }
      for observed in both {
        onChange(of: { _ = observed.data }) {
          guard client.data(for: query) == "A2" else { return }
          client.setData("A3", for: query)
          MainActorDelivery.of(client).deliverNow()
        }
      }
      client.setData("A2", for: query)
      simulation.settle()
      expectEqual(both.map(\.data), ["A3", "A3"])
    }
  }

  @Test("a list that a reader stops shows what had been brought to it")
  func aListThatStops() {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      client.setData(1, for: query)
      let first = ObservedQuery(query, client: client)
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      let last = ObservedQuery(query, client: client)
      let told = Count()
      for observed in [first, last] {
        onChange(of: { _ = observed.data }) {
          told.number += 1
          // In either order, the list is between them.
          if told.number == 2 { batch.stop() }
        }
      }
      client.setData(2, for: query)
      simulation.settle()
      expect(!batch.isObserving && batch[query]?.data == 2)
    }
  }

  @Test("a list whose reader asks for it while it stops has stopped, and may begin again")
  func aListThatIsAskedForWhileItStops() {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      client.setData(1, for: query)
      let first = ObservedQuery(query, client: client)
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      let last = ObservedQuery(query, client: client)
      let told = Count()
      onChange(of: { _ = batch[query]?.data }) { batch.start(using: client) }
      for observed in [first, last] {
        onChange(of: { _ = observed.data }) {
          told.number += 1
          // In either order, the list is between them.
          if told.number == 2 { batch.stop() }
        }
      }
      client.setData(2, for: query)
      simulation.settle()
      expect(!batch.isObserving && batch[query]?.data == 2)
      batch.start(using: client)
      client.setData(3, for: query)
      simulation.settle()
      expect(batch.isObserving && batch[query]?.data == 3)
      batch.stop()
    }
  }

  @Test("a list that a reader replaces while it is told of a change shows the new one")
  func aListThatIsReplacedWhileTold() {
    run { simulation, client in
      let (a, b) = (Query<String>(key: "a"), Query<String>(key: "b"))
      for readsAll in [false, true] {
        client.setData("A", for: a)
        client.setData("B", for: b)
        let list = ObservedQueries([AnyQuery(a)], client: client)
        let screen = Screen { list[a]?.data ?? list[b]?.data }
        onChange(of: { _ = readsAll ? list.results?[a] : list[a] }) { list.update([AnyQuery(b)]) }
        client.setData("A2", for: a)
        simulation.settle()
        expectEqual(list.results?.all.map(\.key), [AnyQuery(b).key])
        expect(list[b]?.data == "B" && list[a] == nil && screen.frames == ["A", "B"])
        client.setData("B2", for: b)
        simulation.settle()
        expect(list[b]?.data == "B2" && screen.frames == ["A", "B", "B2"])
        list.stop()
      }
    }
  }

  @Test("a list that a reader puts back while it is told of another one shows that it is back")
  func aListThatIsPutBackWhileTold() {
    run { simulation, client in
      let (a, b) = (Query<String>(key: "a"), Query<String>(key: "b"))
      client.setData("A", for: a)
      client.setData("B", for: b)
      let list = ObservedQueries([AnyQuery(a)], client: client)
      let screen = Screen { list.results?.all.count }
      onChange(of: { _ = list.results }) { list.update([AnyQuery(a)]) }
      list.update([AnyQuery(a), AnyQuery(b)])
      simulation.settle()
      expectEqual(list.results?.all.map(\.key), [AnyQuery(a).key])
      expect(list.results?[a]?.data == "A" && screen.frames.last == 1)
      list.stop()
    }
  }

  @Test("a run that a reader starts while it is told of the former one stays shown")
  func anotherRunWhileTold() {
    run { simulation, client in
      let work = ScriptedFetch(.value(1, after: .milliseconds(10)))
      let double = Mutation("double") { (input: Int, _: MutationContext) in
        try await 2 * input * work()
      }
      let observed = ObservedMutation(double, client: client)
      observed.run(1)
      onChange(of: { _ = observed.status }) {
        if observed.input == 1 { observed.run(2) }
      }
      simulation.advance(by: .milliseconds(5))
      let screen = Screen {
        "\(observed.status) \(observed.input ?? 0) \(observed.output ?? 0)"
      }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["pending 1 0", "pending 2 0", "success 2 4"])
    }
  }

  @Test("a run that a reader cannot start while it is told of the former one shows why")
  func aRefusedRunWhileTold() {
    run { simulation, client in
      let work = ScriptedFetch(.value(1, after: .milliseconds(10)))
      let double = Mutation("double") { (input: Int, _: MutationContext) in
        try await 2 * input * work()
      }
      let observed = ObservedMutation(double, client: client)
      observed.run(1)
      simulation.settle()
      onChange(of: { _ = observed.status }) { observed.run(2) }
      client.shutDown()
      simulation.settle()
      #expect(observed.isError && observed.error as? QueryError == .shutDown)
    }
  }

  @Test("U06: a run that begins while changes are brought shows with its optimistic changes")
  func runsThatBeginInADelivery() {
    run { simulation, client in
      let (name, trigger) = (Query<String>(key: "name"), Query<Int>(key: "trigger"))
      let rename = Mutation("rename") { (_: String, _: MutationContext) in
        try await ScriptedFetch(.value((), after: .milliseconds(10)))()
      }
      .optimistic { (new: String, changes: inout OptimisticChanges) in
        changes.update(name.key) { $0 = new }
      }
      client.setData("Ada", for: name)
      let shown = ObservedQuery(name, client: client)
      let trigger1 = ObservedQuery(trigger, client: client)
      let renaming = ObservedMutation(rename, client: client)
      let screen = Screen { "\(shown.data ?? "-") \(renaming.isPending)" }
      onChange(of: { _ = trigger1.data }) { renaming.run("Alan") }
      client.setData(1, for: trigger)
      simulation.settle()
      expectEqual(screen.frames, ["Ada false", "Alan true"])
      simulation.advance(by: .seconds(1))
    }
  }

  /// A client that calls back at the end of an observation.
  private func client(_ simulation: Simulation, _ again: Again) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.onEvent = { event in
        if case .unobserved = event.kind { MainActor.assumeIsolated { again.action?() } }
      }
    }
  }

  @Test("an event that is told at the end of an observation may begin it again")
  func eventsAtTheEnd() {
    Simulation.onMainActor { simulation in
      let again = Again()
      let client = client(simulation, again)
      let query = Query<String>(key: "a")
      client.setData("A", for: query)
      let observed = ObservedQuery(query, client: client)
      again.action = {
        again.action = nil
        observed.start(using: client)
      }
      observed.stop()
      expect(observed.isObserving)
      client.setData("B", for: query)
      simulation.settle()
      expectEqual(observed.data, "B")
    }
  }

  @Test("what is told of the end of one client's observation may begin that of another by itself")
  func eventsAtAChangeOfClients() {
    Simulation.onMainActor { simulation in
      let again = Again()
      let client = client(simulation, again)
      let query = Query<String>(key: "a")
      let other = QueryClient(simulation: simulation)
      let events = simulation.record(other.events)
      other.setData("other", for: query)
      simulation.settle()
      let observed = ObservedQuery(query, client: client)
      again.action = {
        again.action = nil
        observed.start(using: other)
      }
      observed.start(using: other)
      simulation.settle()
      expectEqual(observed.data, "other")
      let observations = events.values.compactMap { event -> String? in
        switch event.kind {
        case .observed(let count): "observed \(count)"
        case .unobserved(let count): "unobserved \(count)"
        default: nil
        }
      }
      expectEqual(observations, ["observed 1"])
      let group = MainActorDelivery.of(other).group
      observed.stop()
      expectEqual(group.insert(other.observer(of: query)).position, 0)
    }
  }

  @Test("so it is with a list, which observes the client that was named last")
  func eventsAtAChangeOfClientsOfAList() {
    Simulation.onMainActor { simulation in
      let again = Again()
      let client = client(simulation, again)
      let query = Query<String>(key: "a")
      let (other, last) = (QueryClient(simulation: simulation), QueryClient(simulation: simulation))
      other.setData("other", for: query)
      last.setData("last", for: query)
      let list = ObservedQueries([AnyQuery(query)], client: client)
      again.action = {
        again.action = nil
        list.start(using: last)
      }
      list.start(using: other)
      simulation.settle()
      expectEqual(list[query]?.data, "last")
      last.setData("newer", for: query)
      simulation.settle()
      expectEqual(list[query]?.data, "newer")
      list.stop()
    }
  }

  @Test("a result that comes while the selection of a first reader is made is shown to it")
  func aResultWhileASelectionIsMade() {
    run { simulation, client in
      let again = Again()
      let query = Query<Int>(key: "a")
      client.setData(0, for: query)
      let observed = ObservedSelection<Int, Int>(query, client: client) { value in
        MainActor.assumeIsolated {
          let action = again.action
          again.action = nil
          action?()
        }
        return value
      }
      client.setData(1, for: query)
      simulation.settle()
      again.action = {
        client.setData(2, for: query)
        MainActorDelivery.of(client).deliverNow()
      }
      expectEqual(observed.data, 2)
      simulation.settle()
      expectEqual(observed.data, 2)
      observed.stop()
    }
  }

  @MainActor
  private final class Again {
    var action: (@MainActor () -> Void)?
  }

  @Test("a selection may read what was shown before")
  func aSelectionReadsItsObject() {
    run { simulation, client in
      let query = Query<Int>(key: "a")
      let box = Box()
      let observed = ObservedSelection(query) { new in
        MainActor.assumeIsolated { (box.observed?.data ?? []) + [new] }
      }
      box.observed = observed
      observed.start(using: client)
      let screen = Screen { observed.data }
      for number in 1...2 {
        client.setData(number, for: query)
        simulation.settle()
      }
      expectEqual(screen.frames, [nil, [1], [1, 2]])
    }
  }

  @MainActor
  private final class Count {
    var number = 0
  }

  @MainActor
  private final class Box {
    weak var observed: ObservedSelection<Int, [Int]>?
  }
}
