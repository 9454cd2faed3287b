import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct ClientTests {
  @Test("views with a client above them make none of their own, and nothing is reported")
  func noFallback() {
    World.run { world in
      Reports.collected { reports in
        let client = world.client
        FallbackClient.make = {
          Issue.record("a client was made")
          return client
        }
        let drawn = Drawn()
        let shown = query("a", fetch("A"))
        let mounted = world.mount(
          QueryClientProvider(client: world.client) { QueryView(shown) { drawn($0.text) } }
        )
        world.advance(30)
        #expect(drawn.lines == ["-", "A"] && reports.all == [])
        mounted.unmount()
      }
    }
  }

  @Test("without a client, the environment has the shared one on every thread, and says so once")
  func clientOnAnyThread() {
    Simulation.onMainActor { simulation in
      Reports.collected { reports in
        let client = QueryClient(simulation: simulation)
        FallbackClient.make = { client }
        onAnotherThread {
          #expect(EnvironmentValues().queryClient === client)
        }
        #expect(EnvironmentValues().queryClient === client)
        #expect(reports.all == [.noClient])
        var given = EnvironmentValues()
        let other = QueryClient(simulation: simulation)
        given.queryClient = other
        #expect(given.queryClient === other)
      }
    }
  }

  @Test("a client that is set by `environment` is used, and the report names the modifier instead")
  func clientOfAnotherModifier() {
    World.run(.further) { world in
      Reports.collected { reports in
        let unused = QueryClient(simulation: world.simulation)
        FallbackClient.make = { unused }
        let drawn = Drawn()
        let mounted = world.mount(
          alone: Screen(query("a", fetch("A")), drawn).environment(\.queryClient, world.client)
        )
        world.advance(30)
        #expect(drawn.lines.last == "A" && world.observers == 1)
        #expect(unused.diagnostics(.all).isEmpty)
        // Whether a value is read before it is set is not documented.
        #expect(Set(reports.all).isSubset(of: [.noClient]) && reports.all.count <= 1)
        let text = "\(ViewMisuse.noClient)"
        #expect(text.contains(#"environment(\.queryClient, client)"#))
        #expect(text.hasSuffix("write queryClient(client) instead."))
        mounted.unmount()
      }
    }
  }

  @Test("a wrapper that is updated on another thread observes nothing, and says so once")
  func updatedOnAnotherThread() {
    Simulation.onMainActor { simulation in
      Reports.collected { reports in
        let client = QueryClient(simulation: simulation)
        FallbackClient.make = { client }
        let queries = [AnyQuery(query("a", fetch("A")))]
        let (items, save) = (LiveQueries(queries), LiveMutation(Mutation("b") { 1 }))
        onAnotherThread {
          items.update()
          save.update()
        }
        simulation.settle()
        #expect(reports.all == [.updatedOffTheMainThread])
        #expect(client.diagnostics(.all).isEmpty)
      }
    }
  }
}
