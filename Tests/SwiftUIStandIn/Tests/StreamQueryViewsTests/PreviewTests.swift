import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct PreviewTests {
  private struct Feeds: View {
    let queries: [InfiniteQuery<Int, Int>]
    let drawn: Drawn
    var body: some View {
      ForEach(queries.indices, id: \.self) { index in
        QueryView(queries[index]) { feed in
          drawn(
            """
            \(feed.pages) \(feed.hasNextPage) \(feed.isFetchingNextPage) \
            \(feed.isFetchNextPageError) \(feed.isPaused)
            """
          )
        }
      }
    }
  }

  @Test("a preview shows pages that are fetched, or could not be, and what waits for the network")
  func pages() {
    World.run { world in
      let drawn = Drawn()
      let fetch = ScriptedFetch<Int>(.value(7))
      let queries = ["idle", "loading", "failed", "paused", "empty"].map { name in
        InfiniteQuery<Int, Int>(name, initialPageParam: 1) { _ in
          try await fetch()
        } nextPageParam: {
          $0.pages.count + 1
        }
      }
      let mounted = world.mount(
        alone: Feeds(queries: queries, drawn: drawn).queryPreview { preview in
          for query in queries[..<4] {
            preview.data(Pages(10, param: 1), for: query)
          }
          preview.loadingNextPage(queries[1])
          preview.nextPageFailure(Fatal(), for: queries[2])
          preview.paused(queries[3])
          // There is no page after none.
          preview.loadingNextPage(queries[4])
        }
      )
      let expected = [
        "[10] true false false false", "[10] true true false false", "[10] true false true false",
        "[10] true false false true", "[] false false false false",
      ]
      #expect(drawn.lines == expected)
      world.advance(100_000)
      #expect(drawn.lines == expected && fetch.callCount == 0)
      mounted.unmount()
    }
  }

  private struct Waiting: View {
    @LiveQuery private var user: ObservedQuery<String>
    let drawn: Drawn
    init(_ query: Query<String>, _ drawn: Drawn) {
      _user = LiveQuery(query)
      self.drawn = drawn
    }
    var body: some View { drawn("\(user.text) \(user.isPaused) \(user.isFetching)") }
  }

  @Test("a preview shows a first fetch that waits for the network")
  func paused() {
    World.run { world in
      let (drawn, fetch) = (Drawn(), fetch("A"))
      let shown = query("a", fetch)
      let mounted = world.mount(
        alone: Waiting(shown, drawn).queryPreview { $0.paused(shown) }
      )
      world.advance(100_000)
      #expect(drawn.lines == ["- true false"] && fetch.callCount == 0)
      mounted.unmount()
    }
  }
}
