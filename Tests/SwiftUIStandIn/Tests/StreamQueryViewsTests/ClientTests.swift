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

  @Test("a wrapper that is updated on another thread observes nothing, and says so once")
  func updatedOnAnotherThread() {
    Simulation.onMainActor { simulation in
      Reports.collected { reports in
        let client = QueryClient(simulation: simulation)
        FallbackClient.make = { client }
        let (item, save) = (LiveQuery(query("a", fetch("A"))), LiveMutation(Mutation("b") { 1 }))
        onAnotherThread {
          item.update()
          save.update()
        }
        simulation.settle()
        #expect(reports.all == [.updatedOffTheMainThread])
        #expect(client.diagnostics(.all).isEmpty)
      }
    }
  }
}
