import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// Pages and mutations whose input is the view's state, which a property wrapper cannot see.
@MainActor
struct PageModifierTests {
  /// Keeps what bodies have, for a test that acts as a user.
  @MainActor
  private final class Hands {
    var feed: ObservedInfiniteQuery<String, Int>?
    var found: ObservedPagination<String, Int, String>?
    var save: ObservedMutation<Int, String>?
  }

  private struct Feed: View {
    let switches: Switches
    let fetch: ScriptedFetch<Int>
    let drawn: Drawn
    let hands: Hands
    @LiveInfiniteQuery<String, Int> private var feed
    var body: some View {
      let _ = hands.feed = feed
      let topic = switches.id
      Group { drawn("\(feed.pages.joined(separator: " "))\(feed.hasNextPage ? " …" : "")") }
        .infiniteQuery(
          $feed,
          key: ["feed", topic],
          initialPageParam: 1,
          maxPages: 2,
          enabled: switches.isOn
        ) { [fetch] page in
          _ = try await fetch()
          return "\(topic).\(page)"
        } nextPageParam: {
          $0.params.last.flatMap { $0 < 3 ? $0 + 1 : nil }
        } previousPageParam: {
          $0.params.first.flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
  }

  @Test("I13: the body says key, first and next page, and how many pages are kept")
  func infinite() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let fetch = ScriptedFetch<Int>(
        Array(repeating: .value(0, after: .milliseconds(30)), count: 6)
      )
      switches.isOn = false
      let mounted = world.mount(Feed(switches: switches, fetch: fetch, drawn: drawn, hands: hands))
      world.advance(30)
      #expect(Set(drawn.take()) == [""] && fetch.callCount == 0)
      switches.isOn = true
      world.advance(30)
      #expect(drawn.take().last == "1.1 …")
      for expected in ["1.1 1.2 …", "1.2 1.3"] {
        Task { await hands.feed?.fetchNextPage() }
        world.advance(30)
        #expect(drawn.take().last == expected)
      }
      Task { await hands.feed?.fetchPreviousPage() }
      world.advance(30)
      #expect(drawn.take().last == "1.1 1.2 …" && fetch.callCount == 4)
      switches.id = 2
      world.advance(29)
      #expect(drawn.take().last == "")
      world.advance(1)
      #expect(drawn.take().last == "2.1 …" && world.observers == 1)
      hands.feed = nil
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct FeedView: View {
    let query: InfiniteQuery<Int, Int>
    let drawn: Drawn
    @LiveInfiniteQuery<Int, Int> private var feed
    var body: some View {
      Group { drawn("\(feed.pages)") }.query($feed, query)
      QueryView(query) { feed in drawn("view \(feed.pages) \(feed.hasNextPage)") }
    }
  }

  @Test("I12: an infinite query that exists is shown by wrapper and view as any other")
  func existingInfiniteQuery() {
    World.run(.further) { world in
      let drawn = Drawn()
      let query = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { page in
        page
      } nextPageParam: {
        $0.pages.count < 2 ? 2 : nil
      }
      let mounted = world.mount(FeedView(query: query, drawn: drawn))
      world.advance(1)
      #expect(Set(drawn.take()).isSuperset(of: ["[1]", "view [1] true"]))
      let client = world.client
      Task { _ = try await client.fetchNextPage(of: query) }
      world.advance(1)
      #expect(drawn.take().sorted() == ["[1, 2]", "view [1, 2] false"])
      mounted.unmount()
    }
  }

  private struct Search: View {
    let switches: Switches
    let log: ScriptedFetch<Int>
    let drawn: Drawn
    let hands: Hands
    @LivePagination(Pagination(input: ""))
    private var found: ObservedPagination<String, Int, String>
    var body: some View {
      let _ = hands.found = found
      let suffix = switches.isOn ? "" : "!"
      Group { drawn("\(found.page): \(found.query.text)") }
        .pagination($found, input: "text \(switches.id)") { [log] text, page in
          Query("search", text, page, suffix) {
            _ = try await log()
            return "\(text) \(page)\(suffix)"
          }.staleTime(.seconds(60))
        }
    }
  }

  @Test("G01, G02: the body says input and query; another input starts at the initial page")
  func pagination() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let log = ScriptedFetch<Int>(Array(repeating: .value(0, after: .milliseconds(30)), count: 9))
      let mounted = world.mount(Search(switches: switches, log: log, drawn: drawn, hands: hands))
      world.advance(30)
      // The input that the wrapper began with was never asked for.
      #expect(drawn.take().last == "1: text 1 1" && log.callCount == 1)
      hands.found?.moveToNextPage()
      world.advance(30)
      #expect(drawn.take().last == "2: text 1 2")
      // Drawn again for another reason, the place stays.
      switches.isOn = false
      world.advance(30)
      #expect(drawn.take().last == "2: text 1 2!")
      switches.isOn = true
      world.advance(0)
      #expect(drawn.take().last == "2: text 1 2" && log.callCount == 3)
      switches.id = 2
      world.advance(29)
      #expect(drawn.take().last == "1: text 1 2")
      world.advance(1)
      #expect(drawn.take().last == "1: text 2 1" && log.callCount == 4)
      // Where it was is not remembered, but what it showed is cached.
      switches.id = 1
      world.advance(0)
      #expect(drawn.take().last == "1: text 1 1" && log.callCount == 4)
      #expect(world.observers == 1)
      hands.found = nil
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Pushed: View {
    @Bindable var switches: Switches
    let drawn: Drawn
    let page: Query<String>
    var body: some View {
      NavigationStack(path: $switches.path) {
        Place(page: page, drawn: drawn).queryObservation(.onAppear)
          .navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
      }
    }
    private struct Place: View {
      @LivePagination private var found: ObservedPagination<String, Int, String>
      let drawn: Drawn
      @LiveQuery<String> private var item
      @LiveQueries private var batch
      init(page: Query<String>, drawn: Drawn) {
        self.drawn = drawn
        _item = LiveQuery(page, options: ObserverOptions(enabled: false))
        _batch = LiveQueries([AnyQuery(page)])
        _found = LivePagination(Pagination(input: "swift")) { _, _ in page }
      }
      var body: some View {
        let list = batch.results?.results(of: String.self).map { $0.data ?? "-" } ?? []
        drawn("\(found.query.text) \(item.text) \(item.isFetching) \(list)")
      }
    }
  }

  @Test("a page, a list and a query of a view that has not appeared yet show what is cached")
  func hiddenPagination() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let page = query("page", fetch("A")).staleTime(.seconds(60))
      world.client.setData("cached", for: page)
      let mounted = world.mount(Pushed(switches: switches, drawn: drawn, page: page))
      #expect(Set(drawn.take()) == [#"cached cached false ["cached"]"#])
      #expect(world.observers == 3)
      // Longer than a change is a doubt.
      world.advance(2000)
      switches.path = [1]
      world.advance(0)
      #expect(world.observers == 0)
      world.client.setData("written", for: page)
      switches.path = []
      world.advance(0)
      #expect(drawn.lines.last == #"written written false ["written"]"#)
      #expect(world.observers == 3)
      mounted.unmount()
    }
  }

  private struct OwnPage: View {
    let switches: Switches
    let drawn: Drawn
    @State private var page = 1
    @LiveQuery(keepsPreviousData: true) private var found: ObservedQuery<String>
    var body: some View {
      Group { drawn("\(page): \(found.text)") }
        .query($found, Query("own", page) { [page] in "page \(page)" }.staleTime(.seconds(60)))
        .onChange(of: switches.count) { page += 1 }
    }
  }

  @Test("G03: a page in the view's state and in the key is a query of its own")
  func pageInState() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let mounted = world.mount(OwnPage(switches: switches, drawn: drawn))
      world.advance(1)
      #expect(drawn.take().last == "1: page 1")
      switches.count += 1
      world.advance(1)
      #expect(drawn.take().last == "2: page 2")
      #expect(world.client.diagnostics(.all).count == 2 && world.observers == 1)
      mounted.unmount()
    }
  }

  private struct Save: View {
    let switches: Switches
    let drawn: Drawn
    let hands: Hands
    @LiveMutation private var save: ObservedMutation<Int, String>
    var body: some View {
      let _ = hands.save = save
      let id = switches.id
      Group { drawn("\(save.status) \(save.output ?? "")") }
        .mutation($save) { input in "\(id): \(input)" }
    }
  }

  @Test("a mutation is said by a closure, which sees the view's state as it was drawn last")
  func mutation() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let mounted = world.mount(Save(switches: switches, drawn: drawn, hands: hands))
      hands.save?.run(7)
      world.advance(0)
      #expect(drawn.take().last == "success 1: 7")
      switches.id = 2
      world.advance(0)
      hands.save?.run(8)
      world.advance(0)
      #expect(drawn.take().last == "success 2: 8")
      mounted.unmount()
    }
  }
}
