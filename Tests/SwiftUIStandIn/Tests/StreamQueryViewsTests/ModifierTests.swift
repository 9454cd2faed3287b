import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct ModifierTests {
  private struct Search: View {
    let switches: Switches
    let fetch: ScriptedFetch<String>
    let drawn: Drawn
    @LiveQuery<String> private var found
    var body: some View {
      Group { drawn(found.text) }
        .query($found, key: ["search", switches.id], enabled: switches.isOn) { [fetch] in
          try await fetch()
        }
    }
  }

  @Test("V03: the body says key, fetch and whether to fetch")
  func keyInTheBody() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("one", "two")
      switches.isOn = false
      let mounted = world.mount(Search(switches: switches, fetch: fetch, drawn: drawn))
      world.advance(30)
      #expect(fetch.callCount == 0 && Set(drawn.take()) == ["-"])
      switches.isOn = true
      world.advance(30)
      #expect(drawn.take().last == "one" && fetch.callCount == 1)
      switches.id = 2
      world.advance(0)
      #expect(drawn.take().last == "-")
      world.advance(30)
      #expect(drawn.take().last == "two" && world.observers == 1)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Typed: View {
    let switches: Switches
    let fetch: ScriptedFetch<String>
    let drawn: Drawn
    @LiveQuery<String> private var found
    var body: some View {
      Group { drawn("\(switches.id) \(found.text)") }
        .query($found, key: ["typed", switches.id], debounce: .milliseconds(200)) { [fetch] in
          try await fetch()
        }
    }
  }

  @Test("a key that changes in a burst is observed once it rests, the former one before")
  func debounced() {
    World.run { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("one", "four")
      let mounted = world.mount(Typed(switches: switches, fetch: fetch, drawn: drawn))
      world.advance(30)
      for id in 2...4 {
        switches.id = id
        world.advance(100)
        #expect(drawn.take().last == "\(id) one" && fetch.callCount == 1)
      }
      world.advance(200)
      #expect(drawn.take().last == "4 four" && fetch.callCount == 2)
      mounted.unmount()
    }
  }

  private struct Link: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      Text("link").prefetch(queries[switches.id], queries[0])
    }
  }

  @Test("T93: a view fetches ahead when it appears and when a key changes, and observes nothing")
  func fetchedAhead() {
    World.run { world in
      let switches = Switches()
      switches.id = 1
      let fetches = [fetch("a"), fetch("b"), fetch("c")]
      let queries = fetches.enumerated().map { query("\($0)", $1).staleTime(.minutes(1)) }
      let mounted = world.mount(Link(switches: switches, queries: queries))
      world.advance(30)
      #expect(fetches.map(\.callCount) == [1, 1, 0] && world.observers == 0)
      switches.id = 2
      world.advance(30)
      #expect(fetches.map(\.callCount) == [1, 1, 1] && world.observers == 0)
      mounted.unmount()
    }
  }

  private struct Switched: View {
    let switches: Switches
    let query: Query<String>
    var body: some View { Text("link").prefetch(query.enabled(switches.isOn)) }
  }

  @Test("a view fetches ahead when its query is enabled")
  func fetchedAheadOnceEnabled() {
    World.run { world in
      let switches = Switches()
      switches.isOn = false
      let fetch = fetch("a")
      let mounted = world.mount(Switched(switches: switches, query: query("a", fetch)))
      world.advance(30)
      #expect(fetch.callCount == 0)
      switches.isOn = true
      world.advance(30)
      #expect(fetch.callCount == 1)
      mounted.unmount()
    }
  }

  private struct Named: View {
    let query: Query<String>
    let drawn: Drawn
    @LiveQuery<String> private var found: ObservedQuery<String>
    @LivePagination<Int, Int, String> private var page: ObservedPagination<Int, Int, String>

    init(_ query: Query<String>, _ drawn: Drawn, options: ObserverOptions?) {
      (self.query, self.drawn) = (query, drawn)
      _found = LiveQuery(options: options)
      _page = LivePagination(Pagination(input: 1), options: options)
    }

    var body: some View {
      drawn("\(found.text) \(page.query.text)")
        .query($found, query)
        .pagination($page) { [query] _, _ in query }
    }
  }

  private struct WithOptions: View {
    let switches: Switches
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      Named(
        query,
        drawn,
        options: switches.id == 1 ? ObserverOptions(enabled: switches.isOn) : nil
      )
    }
  }

  @Test("V02: later options of a wrapper count where a modifier names the query")
  func laterOptions() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("A", "B")
      switches.isOn = false
      let shown = query("a", fetch)
      let mounted = world.mount(WithOptions(switches: switches, query: shown, drawn: drawn))
      world.advance(100)
      #expect(drawn.take().last == "- -" && fetch.callCount == 0)
      switches.isOn = true
      world.advance(100)
      #expect(drawn.take().last == "A A" && fetch.callCount == 1)
      switches.isOn = false
      world.advance(0)
      _ = Task { await world.client.invalidate(.query(shown)) }
      world.advance(100)
      #expect(fetch.callCount == 1)
      // None of its own any more: those of the query.
      switches.id = 2
      world.advance(100)
      #expect(drawn.take().last == "B B" && fetch.callCount == 2)
      mounted.unmount()
    }
  }

  private struct Cached: View {
    let switches: Switches
    let queries: [Query<String>]
    let drawn: Drawn
    @LiveQuery<String> private var item
    var body: some View {
      drawn("\(switches.id) \(item.text) \(item.isFetching)")
        .query($item, queries[switches.id])
    }
  }

  @Test("V03, V12: what is cached shows in the second body of a view that says its query")
  func cached() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetches = [fetch("new"), fetch("B")]
      let queries = fetches.enumerated().map { query("\($0.offset)", $0.element) }
      world.client.setData("A", for: queries[0])
      world.client.setData("B", for: queries[1])
      switches.id = 0
      let fresh = queries.map { $0.staleTime(.seconds(60)) }
      let mounted = world.mount(Cached(switches: switches, queries: fresh, drawn: drawn))
      // The body comes before its modifier: it cannot know the query at first.
      #expect(drawn.take() == ["0 - false", "0 A false"])
      world.advance(3000)
      #expect(drawn.take() == [])
      // So it is with another key: no body is empty, or tells of a fetch.
      switches.id = 1
      world.advance(3000)
      #expect(drawn.take() == ["1 A false", "1 B false"])
      #expect(fetches.map(\.callCount) == [0, 0])
      mounted.unmount()
      // Stale data shows while the new is fetched.
      switches.id = 0
      world.advance(60_000)
      let again = world.mount(Cached(switches: switches, queries: queries, drawn: drawn))
      #expect(drawn.take() == ["0 - false", "0 A true"])
      world.advance(3000)
      #expect(drawn.take() == ["0 new false"])
      again.unmount()
    }
  }

  private struct Twice: View {
    let switches: Switches
    let named: Query<String>
    let drawn: Drawn
    @LiveQuery<String> private var item
    init(_ own: Query<String>, _ switches: Switches, named: Query<String>, drawn: Drawn) {
      _item = LiveQuery(own)
      (self.switches, self.named, self.drawn) = (switches, named, drawn)
    }
    var body: some View {
      Group {
        if switches.isOn { drawn(item.text).query($item, named) } else { drawn(item.text) }
      }
    }
  }

  @Test("a query that a wrapper names is not observed once a modifier names one: reported once")
  func namedTwice() {
    World.run(.further) { world in
      Reports.collected { reports in
        let (switches, drawn) = (Switches(), Drawn())
        let (own, named) = (fetch("own"), fetch("named", "again"))
        let mounted = world.mount(
          Twice(query("own", own), switches, named: query("named", named), drawn: drawn)
        )
        world.advance(30)
        #expect(Set(drawn.take()) == ["-", "named"] && world.observers == 1)
        #expect(!own.calls.map(\.outcome).contains(.value))
        // Not even when the modifier is gone.
        world.advance(3000)
        switches.isOn = false
        world.advance(3000)
        switches.count += 1
        world.advance(3000)
        #expect(Set(drawn.take()) == ["named"] && world.observers == 0)
        switches.isOn = true
        world.advance(30)
        #expect(drawn.take().last == "again" && world.observers == 1)
        #expect(!own.calls.map(\.outcome).contains(.value))
        #expect(reports.all == [.namedTwice("ObservedQuery<String>")])
        mounted.unmount()
      }
    }
  }

  private struct Branches: View {
    let switches: Switches
    let query: Query<String>
    let drawn: Drawn
    @LiveQuery<String> private var item
    var body: some View {
      drawn(item.text)
      if switches.isOn {
        Text("on").query($item, query)
      } else {
        ProgressView().query($item, query)
      }
    }
  }

  @Test("a query goes on when another view of the body shows it")
  func branches() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("A", "B")
      let mounted = world.mount(
        Branches(
          switches: switches,
          query: query("a", fetch).staleTime(.seconds(60)),
          drawn: drawn
        )
      )
      world.advance(10)
      for _ in 0..<4 {
        switches.isOn.toggle()
        world.advance(1)
        #expect(world.observers == 1)
      }
      world.advance(30)
      #expect(drawn.lines.last == "A" && fetch.callCount == 1)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Paged: View {
    let model: PagesModel
    let drawn: Drawn
    @LivePagination private var found: ObservedPagination<String, Int, String>
    @LiveQuery private var feed: ObservedInfiniteQuery<Int, Int>
    @LiveQueries private var batch: ObservedQueries

    init(_ model: PagesModel, _ drawn: Drawn) {
      self.model = model
      self.drawn = drawn
      _found = LivePagination(Pagination(input: "swift")) { text, page in
        Query("search", text, page) { "\(text) \(page)" }
      }
      _feed = LiveQuery(
        InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { page in
          page * 10
        } nextPageParam: {
          $0.pages.count < 3 ? $0.pages.count + 1 : nil
        }
      )
    }

    var body: some View {
      let _ = model.take(found, feed, batch)
      drawn("\(found.query.text), \(feed.pages) \(feed.hasNextPage), \(batch.isSuccess)")
        .queries(
          $batch,
          [
            AnyQuery(Query(key: QueryKey<Int>("n"), fetch: { 1 })),
            AnyQuery(Query(key: QueryKey<String>("s"), fetch: { "s" })),
          ]
        )
    }
  }

  @MainActor
  private final class PagesModel {
    var found: ObservedPagination<String, Int, String>?
    var feed: ObservedInfiniteQuery<Int, Int>?
    var batch: ObservedQueries?
    func take(
      _ found: ObservedPagination<String, Int, String>,
      _ feed: ObservedInfiniteQuery<Int, Int>,
      _ batch: ObservedQueries
    ) {
      (self.found, self.feed, self.batch) = (found, feed, batch)
    }
  }

  @Test("I13, G01, G05: pages, positions and lists are observed like queries")
  func pages() {
    World.run(.further) { world in
      let (model, drawn) = (PagesModel(), Drawn())
      let mounted = world.mount(Paged(model, drawn))
      world.advance(1)
      #expect(drawn.lines.last == "swift 1, [10] true, true")
      model.found?.moveToNextPage()
      let feed = model.feed
      Task { await feed?.fetchNextPage() }
      world.advance(1)
      #expect(drawn.lines.last == "swift 2, [10, 20] true, true")
      #expect(model.batch?[QueryKey<Int>("n")]?.data == 1)
      #expect(world.observers == 4)
      mounted.unmount()
      model.take(.init(Pagination(input: ""), query: { _, _ in Query(key: "x") }), feed!, .init())
      model.feed = nil
      world.advance(0)
    }
  }

  private struct Rename: View {
    let handle: Handle
    let drawn: Drawn
    @LiveMutation(key: "rename", perform: { (name: String) in name.uppercased() })
    var rename: ObservedMutation<String, String>
    var body: some View {
      let _ = handle.rename = rename
      drawn("\(rename.status) \(rename.output ?? "")")
    }

    @MainActor
    final class Handle { var rename: ObservedMutation<String, String>? }
  }

  @Test("U05, U06: a mutation runs with the client of the environment")
  func mutations() {
    World.run(.further) { world in
      let (handle, drawn) = (Rename.Handle(), Drawn())
      let mounted = world.mount(Rename(handle: handle, drawn: drawn))
      handle.rename?.run("ada")
      world.advance(1)
      #expect(drawn.lines.first == "idle " && drawn.lines.last == "success ADA")
      mounted.unmount()
    }
  }

  private struct Refreshing: View {
    @LiveQuery<String> var item
    let drawn: Drawn
    let gesture: Gesture
    init(_ query: Query<String>, _ drawn: Drawn, _ gesture: Gesture) {
      _item = LiveQuery(query)
      self.drawn = drawn
      self.gesture = gesture
    }
    var body: some View {
      Pulled(gesture: gesture).refreshable(item)
      drawn("\(item.text) \(item.isError)")
    }
  }
  private struct Pulled: View {
    @Environment(\.refresh) private var refresh
    let gesture: Gesture
    var body: some View {
      let _ = gesture.refresh = refresh
      EmptyView()
    }
  }
  @MainActor
  private final class Gesture { var refresh: RefreshAction? }

  @Test(
    "a gesture refetches and waits; one that SwiftUI cancels is no error, and the request goes on"
  )
  func refreshing() {
    World.run(.further) { world in
      let (drawn, gesture) = (Drawn(), Gesture())
      let fetch = fetch("A", "B", "C")
      let mounted = world.mount(Refreshing(query("a", fetch), drawn, gesture))
      world.advance(30)
      var isDone = false
      Task {
        await gesture.refresh?()
        isDone = true
      }
      world.advance(29)
      #expect(!isDone && drawn.lines.last == "A false")
      world.advance(1)
      #expect(isDone && drawn.lines.last == "B false")
      let task = Task { await gesture.refresh?() }
      world.advance(10)
      task.cancel()
      world.advance(20)
      #expect(drawn.lines.last == "C false")
      #expect(fetch.calls.map(\.outcome) == [.value, .value, .value])
      mounted.unmount()
    }
  }

  private struct PreviewedList: View {
    @LiveQueries([AnyQuery(Query("a") { "fetched" }), AnyQuery(Query("b") { "fetched" })])
    private var batch
    @LivePagination(Pagination(input: 0), query: { _, page in Query("p", page) { "fetched" } })
    private var found
    let drawn: Drawn
    var body: some View {
      let texts = batch.results?.results(of: String.self).map { $0.data ?? "-" } ?? []
      drawn("\(texts) \(batch.isFetching) \(found.query.text) \(found.query.isFetching)")
    }
  }

  @Test("a preview fetches nothing for lists and pages either")
  func previewsOfLists() {
    World.run { world in
      let drawn = Drawn()
      let mounted = world.mount(
        alone: PreviewedList(drawn: drawn).queryPreview {
          $0.data("Ada", for: Query<String>(key: "a"))
        }
      )
      world.advance(1000)
      #expect(drawn.lines == [#"["Ada", "-"] false - false"#])
      mounted.unmount()
    }
  }

  private struct Previewed: View {
    let queries: [Query<String>]
    let drawn: Drawn
    var body: some View {
      ForEach(queries.indices, id: \.self) { index in
        QueryView(queries[index]) { query in
          drawn("\(query.text) \(query.isFetching) \(query.isError)")
        }
      }
    }
  }

  @Test("a preview shows the states that it was given, and fetches nothing")
  func previews() {
    World.run { world in
      let drawn = Drawn()
      let fetch = fetch("fetched")
      let queries = ["data", "loading", "failed", "stale", "none"].map { query($0, fetch) }
      let mounted = world.mount(
        alone: Previewed(queries: queries, drawn: drawn).queryPreview {
          $0.data("Ada", for: queries[0])
          $0.loading(queries[1])
          $0.failure(Fatal(), for: queries[2])
          $0.data("old", for: queries[3])
          $0.failure(Minor(), for: queries[3])
        }
      )
      let expected = [
        "Ada false false", "- true false", "failed false true", "old false true", "- false false",
      ]
      #expect(drawn.lines == expected)
      world.advance(100_000)
      #expect(drawn.lines == expected)
      #expect(fetch.callCount == 0)
      mounted.unmount()
    }
  }
}
