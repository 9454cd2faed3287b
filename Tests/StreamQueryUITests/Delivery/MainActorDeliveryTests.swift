@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// The one object that brings changes to all observed objects of a client.
@MainActor
struct MainActorDeliveryTests {
  private let query = Query<Int>(key: "n")

  @Test("it ends with its client, which may be erased for as long as it exists")
  func theEnd() {
    for isShutDown in [false, true] {
      Simulation.onMainActor { simulation in
        var client: QueryClient? = QueryClient(simulation: simulation)
        weak let delivery = client.map(MainActorDelivery.of)
        simulation.settle()
        expect(delivery != nil)
        if isShutDown { client?.shutDown() }
        simulation.settle()
        expect(delivery != nil)
        client = nil
        simulation.settle()
        expectNil(delivery)
      }
    }
  }

  @Test("a client that was shut down has one delivery, however often it is asked for")
  func afterAShutdown() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      client.shutDown()
      weak let delivery = MainActorDelivery.of(client)
      for _ in 1...3 {
        simulation.settle()
        expect(delivery != nil && MainActorDelivery.of(client) === delivery)
      }
    }
  }

  @Test("a client at the address of one that is gone has another delivery")
  func addresses() {
    Simulation.onMainActor { simulation in
      for number in 1...50 {
        // Nothing runs between two clients: the former one's delivery has not ended yet.
        let client = QueryClient(simulation: simulation)
        client.setData(0, for: query)
        let observed = ObservedQuery(query, client: client)
        let delivery = MainActorDelivery.of(client)
        expectEqual(observed.data, 0)
        client.setData(number, for: query)
        simulation.settle()
        #expect(observed.data == number && MainActorDelivery.of(client) === delivery)
      }
    }
  }

  @Test("an object that is released leaves its positions to others")
  func positions() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      _ = ObservedQuery(query, client: client)
      _ = ObservedQueries([AnyQuery(query)], client: client)
      let group = MainActorDelivery.of(client).group
      let position = group.insert(client.observer(of: query)).position
      group.remove(position)
      expectEqual(position, 0)
    }
  }

  private final class Looker: DeliveryParticipant {
    private(set) var count = 0

    func look() -> Bool {
      count += 1
      return count < 3
    }
  }

  @Test("who looks is asked once at each delivery of changes, for as long as it wants")
  func lookers() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let observed = ObservedQuery(query, client: client)
      simulation.settle()
      let (delivery, looker, other) = (MainActorDelivery.of(client), Looker(), Looker())
      for _ in 1...2 { delivery.add(looker) }
      let counts = (1...5).map { number in
        client.setData(number, for: query)
        delivery.deliverNow()
        // Without changes, only who has news of its own looks.
        delivery.deliverNow()
        delivery.add(other)
        delivery.deliverNow(for: other)
        return looker.count
      }
      expect(counts == [1, 2, 3, 3, 3] && other.count == 6)
      withExtendedLifetime(observed) {}
    }
  }

  /// Counts how often it is asked.
  private final class Spy: DeliveryParticipant {
    private(set) var count = 0

    func look() -> Bool {
      count += 1
      return true
    }
  }

  @Test("runs that begin, and go on, do not let all others look each time")
  func manyRuns() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let work = ScriptedFetch<Void>(.never)
      let spy = Spy()
      MainActorDelivery.of(client).add(spy)
      let all = (0..<200).map { _ in
        ObservedMutation(Mutation("work") { try await work() }, client: client)
      }
      for observed in all { observed.run() }
      simulation.settle()
      #expect(all.allSatisfy(\.isPending) && spy.count <= 2)
      for observed in all { observed.cancel() }
      simulation.settle()
      #expect(all.allSatisfy(\.isIdle) && spy.count <= 2)
    }
  }

  @Test("many lookers come and go")
  func lookersComeAndGo() {
    var lookers = DeliveryParticipants()
    var kept: [Spy] = []
    for number in 0..<200 {
      let spy = Spy()
      lookers.add(spy)
      lookers.add(spy)
      if number % 3 == 0 { kept.append(spy) }
      if number % 3 == 1 { lookers.remove(spy) }
    }
    expectEqual(lookers.all.map { ObjectIdentifier($0) }, kept.map { ObjectIdentifier($0) })
    for spy in kept { lookers.remove(spy) }
    expectEmpty(lookers.all)
  }

  @Test("lookers that are released leave no places behind")
  func lookersThatAreReleased() {
    var lookers = DeliveryParticipants()
    var kept = (0..<100).map { _ in Spy() }
    for spy in kept { lookers.add(spy) }
    expectEqual(lookers.all.count, 100)
    let last = kept[99]
    kept = []
    expectEqual(lookers.all.map { ObjectIdentifier($0) }, [ObjectIdentifier(last)])
    lookers.remove(last)
    expect(lookers.isEmpty)
    for _ in 1...3 { lookers.add(Spy()) }
    expect(lookers.all.isEmpty && lookers.isEmpty)
    withExtendedLifetime(last) {}
  }

  @Test("a mutation looks while it runs, or somebody waits for its run")
  func mutationsLook() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let work = ScriptedFetch<Void>(.value((), after: .milliseconds(10)))
      let observed = ObservedMutation(Mutation("work") { try await work() }, client: client)
      let acts: [@MainActor () -> Void] = [
        { observed.run() }, { Task { try await observed.mutate() } },
      ]
      for act in acts {
        act()
        simulation.advance(by: .milliseconds(5))
        expect(observed.look())
        simulation.advance(by: .seconds(1))
        expect(!observed.look())
      }
    }
  }
}
