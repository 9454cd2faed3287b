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

  private func feed(
    _ fetch: ScriptedFetch<Int>,
    pages: Int,
    name: String = "feed"
  ) -> InfiniteQuery<Int, Int> {
    InfiniteQuery(
      name,
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

  @Test("a view that appears before its query is observed fetches the next page all the same")
  func observedAfterTheAppearance() {
    for period in [ObservationPeriod.always, .onRender, .onAppear] {
      World.run(.further) { world in
        let drawn = Drawn()
        let fetch = ScriptedFetch<Int>(.value(2, after: .milliseconds(30)))
        let query = feed(fetch, pages: 2).staleTime(.minutes(1))
        world.client.setData(Pages(1, param: 1), for: query)
        let mounted = world.mount(
          Feed(Switches(), query, drawn, room: 10).queryObservation(period)
        )
        world.advance(1_000)
        #expect(drawn.lines.last == "[1, 2]" && fetch.callCount == 1)
        mounted.unmount()
      }
    }
  }

  // MARK: Another list in the same view

  /// Two lists of which the first page is cached, and what fetches the second one of each.
  private func lists(
    in world: World
  ) -> (queries: [InfiniteQuery<Int, Int>], fetches: [ScriptedFetch<Int>]) {
    let fetches = [pages(1), pages(1)]
    let queries = ["a", "b"].enumerated().map { index, name in
      feed(fetches[index], pages: 2, name: name).staleTime(.minutes(1))
    }
    for query in queries { world.client.setData(Pages(1, param: 1), for: query) }
    return (queries, fetches)
  }

  @Test("a list that replaces another one in a turn gets its next page, and the other one none")
  func replaced() {
    World.run { world in
      let (queries, fetches) = lists(in: world)
      let former = ObservedQuery(queries[0], client: world.client)
      let next = ObservedQuery(queries[1], client: world.client)
      let loader = NextPageLoader<ObservedInfiniteQuery<Int, Int>>()
      loader.appeared(former)
      loader.changed(next)
      world.advance(1_000)
      #expect(fetches.map(\.callCount) == [0, 1])
      #expect(former.pages == [1] && next.pages == [1, 1])
    }
  }

  @Test("a list that is released in the turn of a change does not stop the next one")
  func released() {
    World.run { world in
      let (queries, fetches) = lists(in: world)
      let next = ObservedQuery(queries[1], client: world.client)
      let loader = NextPageLoader<ObservedInfiniteQuery<Int, Int>>()
      loader.appeared(ObservedQuery(queries[0], client: world.client))
      world.advance(1_000)
      #expect(fetches.map(\.callCount) == [0, 0])
      loader.changed(next)
      world.advance(1_000)
      #expect(fetches.map(\.callCount) == [0, 1])
      #expect(next.pages == [1, 1])
    }
  }

  private struct Replaced: View {
    let switches: Switches
    let lists: [ObservedQuery<Pages<Int, Int>>]

    var body: some View {
      let list = lists[switches.isOn ? 0 : 1]
      SwiftUI.Text(verbatim: "…").fetchesNextPage(of: list)
    }
  }

  @Test("a view that is given another list fetches the next page of that")
  func replacedInTheView() {
    World.run(.further) { world in
      let (queries, fetches) = lists(in: world)
      let observed = queries.map { ObservedQuery($0, client: world.client) }
      let switches = Switches()
      let mounted = world.mount(Replaced(switches: switches, lists: observed))
      world.advance(1_000)
      switches.isOn = false
      world.advance(1_000)
      #expect(fetches[1].callCount == 1 && observed[1].pages == [1, 1])
      mounted.unmount()
    }
  }
}
