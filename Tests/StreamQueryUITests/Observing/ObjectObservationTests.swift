import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

@MainActor
struct ObjectObservationTests: ObservedSuite {
  @MainActor private final class Controller {
    var shown: [String] = []

    func observe(_ query: Query<Int>, _ client: QueryClient) -> ObjectObservation {
      client.observe(query, on: self) { [weak self] result in
        self?.shown.append("\(result.data.map(String.init) ?? "-")\(result.isFetching ? "…" : "")")
      }
    }
  }

  @Test("F04: a controller is told at once and of each newer state")
  func anObjectIsTold() {
    run { simulation, client in
      let query = Query("n", fetch: ScriptedFetch(.value(1, after: .milliseconds(10))))
      let controller = Controller()
      _ = controller.observe(query, client)
      expectEqual(controller.shown, ["-…"])
      simulation.advance(by: .seconds(1))
      for number in 2...100 { client.setData(number, for: query) }
      simulation.settle()
      expectEqual(controller.shown, ["-…", "1", "100"])
    }
  }

  @Test("it ends with the object, whoever else observes")
  func itEndsWithTheObject() {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      let other = Query<Int>(key: "other")
      let observed = ObservedQuery(other, client: client)
      do { _ = Controller().observe(query, client) }
      client.setData(1, for: other)
      simulation.settle()
      expectEqual(observed.data, 1)
      expectEqual(client.diagnostics(.query(query)).map(\.observerCount), [0])
    }
  }

  @Test("what an object leaves is released although nothing changes", arguments: [0, 3, 100])
  func whatAnObjectLeaves(seconds: Int) {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      var controller: Controller? = Controller()
      _ = controller?.observe(query, client)
      simulation.advance(by: .seconds(seconds))
      expectEqual(client.diagnostics(.query(query)).map(\.observerCount), [1])
      controller = nil
      simulation.advance(by: .seconds(max(1, seconds)))
      expectEqual(client.diagnostics(.query(query)).map(\.observerCount), [0])
      expectEqual(simulation.leakReport(), [])
    }
  }

  @Test("what a short-lived object leaves is released soon beside a long-lived one")
  func whatAShortLivedObjectLeaves() {
    run { simulation, client in
      let (long, short) = (Query<Int>(key: "long"), Query<Int>(key: "short"))
      let controller = Controller()
      _ = controller.observe(long, client)
      simulation.advance(by: .seconds(40))
      do {
        let other = Controller()
        _ = other.observe(short, client)
        simulation.advance(by: .milliseconds(1500))
        withExtendedLifetime(other) {}
      }
      simulation.advance(by: .milliseconds(1500))
      expectEqual(client.diagnostics(.query(short)).map(\.observerCount), [0])
      expectEqual(client.diagnostics(.query(long)).map(\.observerCount), [1])
      withExtendedLifetime(controller) {}
    }
  }

  @Test("what an object leaves is released although the clock has failed")
  func failingClock() {
    runOnFailingClock { simulation, client, clock in
      let query = Query<Int>(key: "n")
      clock.isFailing = true
      var controller: Controller? = Controller()
      _ = controller?.observe(query, client)
      simulation.settle()
      clock.isFailing = false
      let other = Controller()
      _ = other.observe(query, client)
      controller = nil
      simulation.advance(by: .seconds(10))
      expectEqual(client.diagnostics(.query(query)).map(\.observerCount), [1])
      withExtendedLifetime(other) {}
    }
  }

  @Test("neither it nor its object keeps the client")
  func theClientIsFreed() {
    Simulation.onMainActor { simulation in
      weak var held: QueryClient?
      do {
        let client = QueryClient(simulation: simulation)
        held = client
        _ = Controller().observe(Query<Int>(key: "n"), client)
        simulation.settle()
      }
      simulation.advance(by: .seconds(2))
      expectNil(held)
    }
  }

  @Test("a handle ends it earlier, and a shutdown too")
  func handlesEndIt() {
    run { simulation, client in
      let query = Query<Int>(key: "n")
      let controller = Controller()
      let observations = [0, 1].map { _ in controller.observe(query, client) }
      observations[0].cancel()
      observations[0].cancel()
      expectEqual(observations.map(\.isObserving), [false, true])
      client.setData(1, for: query)
      simulation.settle()
      expectEqual(controller.shown, ["-", "-", "1"])
      client.shutDown()
      simulation.settle()
      expect(!observations[1].isObserving && controller.shown.count == 3)
    }
  }
}
