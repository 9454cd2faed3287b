import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// The view at the end of a list, which fetches the next page while it is shown.
@MainActor
struct NextPageTests {
  private struct Feed: View {
    let switches: Switches
    let query: InfiniteQuery<Int, Int>
    let drawn: Drawn
    /// How many pages fill the screen.
    let room: Int
    @LiveInfiniteQuery<Int, Int> private var feed

    init(_ switches: Switches, _ query: InfiniteQuery<Int, Int>, _ drawn: Drawn, room: Int) {
      (self.switches, self.query, self.drawn, self.room) = (switches, query, drawn, room)
      _feed = LiveQuery(query)
    }

    var body: some View {
      VStack {
        drawn("\(feed.pages)")
        if feed.hasNextPage, feed.pages.count < room, switches.isOn {
          SwiftUI.Text(verbatim: "…").fetchesNextPage(of: feed)
        }
      }
    }
  }

  private func feed(_ fetch: ScriptedFetch<Int>, pages: Int) -> InfiniteQuery<Int, Int> {
    InfiniteQuery(
      "feed",
      initialPageParam: 1,
      fetch: { _ in try await fetch() },
      nextPageParam: { $0.pages.count < pages ? $0.pages.count + 1 : nil }
    )
    .retry(0)
  }

  private func pages(_ count: Int) -> ScriptedFetch<Int> {
    ScriptedFetch((1...count).map { .value($0, after: .milliseconds(30)) })
  }

  @Test("pages are fetched until there is none")
  func toTheEnd() {
    World.run(.further) { world in
      let (drawn, fetch) = (Drawn(), pages(4))
      let mounted = world.mount(Feed(Switches(), feed(fetch, pages: 4), drawn, room: 10))
      world.advance(1_000)
      #expect(drawn.lines.last == "[1, 2, 3, 4]" && fetch.callCount == 4)
      mounted.unmount()
    }
  }

  @Test("pages are fetched until they fill the screen, and no further one")
  func toTheEndOfTheScreen() {
    World.run(.further) { world in
      let (drawn, fetch) = (Drawn(), pages(4))
      let mounted = world.mount(Feed(Switches(), feed(fetch, pages: 4), drawn, room: 3))
      world.advance(1_000)
      #expect(drawn.lines.last == "[1, 2, 3]" && fetch.callCount == 3)
      mounted.unmount()
    }
  }

  @Test("after a failure it goes on when it is shown again")
  func failure() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = ScriptedFetch<Int>(
        .value(1, after: .milliseconds(30)),
        .failure(Fatal(), after: .milliseconds(30)),
        .value(2, after: .milliseconds(30))
      )
      let mounted = world.mount(Feed(switches, feed(fetch, pages: 2), drawn, room: 10))
      world.advance(1_000)
      #expect(drawn.lines.last == "[1]" && fetch.callCount == 2)
      switches.isOn = false
      world.advance(1_000)
      #expect(fetch.callCount == 2)
      switches.isOn = true
      world.advance(1_000)
      #expect(drawn.lines.last == "[1, 2]" && fetch.callCount == 3)
      mounted.unmount()
    }
  }
}
