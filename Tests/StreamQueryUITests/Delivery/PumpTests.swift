import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// The one object that brings changes to all observed objects of a client.
@MainActor
struct PumpTests {
  private let query = Query<Int>(key: "n")

  @Test("it ends with its client, which may be erased for as long as it exists")
  func theEnd() {
    for isShutDown in [false, true] {
      Simulation.onMainActor { simulation in
        var client: QueryClient? = QueryClient(simulation: simulation)
        weak let pump = client.map(Pump.of)
        simulation.settle()
        #expect(pump != nil)
        if isShutDown { client?.shutDown() }
        simulation.settle()
        #expect(pump != nil)
        client = nil
        simulation.settle()
        #expect(pump == nil)
      }
    }
  }

  @Test("a client at the address of one that is gone has another pump")
  func addresses() {
    Simulation.onMainActor { simulation in
      for number in 1...50 {
        // Nothing runs between two clients: the former one's pump has not ended yet.
        let client = QueryClient(simulation: simulation)
        client.setData(0, for: query)
        let observed = ObservedQuery(query, client: client)
        let pump = Pump.of(client)
        #expect(observed.data == 0)
        client.setData(number, for: query)
        simulation.settle()
        #expect(observed.data == number && Pump.of(client) === pump)
      }
    }
  }

  @Test("an object that is released leaves its positions to others")
  func positions() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      _ = ObservedQuery(query, client: client)
      _ = ObservedQueries([AnyQuery(query)], client: client)
      let group = Pump.of(client).group
      let position = group.insert(client.observer(of: query)).position
      group.remove(position)
      #expect(position == 0)
    }
  }

  private final class Looker: PumpLooker {
    private(set) var count = 0

    func look() -> Bool {
      count += 1
      return count < 3
    }
  }

  @Test("who looks is asked once at each delivery, for as long as it wants")
  func lookers() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let (pump, looker) = (Pump.of(client), Looker())
      for _ in 1...2 { pump.add(looker) }
      let counts = (1...5).map { _ in
        pump.deliverNow()
        return looker.count
      }
      #expect(counts == [1, 2, 3, 3, 3])
    }
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
        #expect(observed.look())
        simulation.advance(by: .seconds(1))
        #expect(!observed.look())
      }
    }
  }
}
