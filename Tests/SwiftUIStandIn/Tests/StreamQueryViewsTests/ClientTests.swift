import StreamQuery
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct ClientTests {
  @Test("views with a client above them make none of their own, and nothing is reported")
  func noFallback() {
    World.run { world in
      var (made, reports) = (0, [ViewMisuse]())
      let (receive, make) = (ViewMisuse.receive, FallbackClient.make)
      defer { (ViewMisuse.receive, FallbackClient.make) = (receive, make) }
      ViewMisuse.forget()
      FallbackClient.forget()
      ViewMisuse.receive = { reports.append($0) }
      FallbackClient.make = {
        made += 1
        return world.client
      }
      let drawn = Drawn()
      let shown = query("a", fetch("A"))
      let mounted = world.mount(
        QueryClientProvider(client: world.client) { QueryView(shown) { drawn($0.text) } }
      )
      world.advance(30)
      #expect(drawn.lines == ["-", "A"])
      #expect(reports == [] && made == 0)
      mounted.unmount()
    }
  }
}
