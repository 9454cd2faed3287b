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
    World.run(.further) { world in
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
    World.run(.further) { world in
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

  // MARK: Mutations

  private struct Renames: View {
    struct Row: View {
      @LiveMutation private var rename: ObservedMutation<Int, String>
      let drawn: Drawn
      init(_ mutation: Mutation<Int, String>, _ drawn: Drawn) {
        _rename = LiveMutation(mutation)
        self.drawn = drawn
      }
      var body: some View {
        let input = rename.input.map { "\($0)" } ?? "-"
        drawn("\(rename.status) \(input) \(rename.output ?? "-") \(rename.isPaused)")
        Button("Run") { rename.run(7) }
        Button("Cancel") { rename.cancel() }
        Button("Reset") { rename.reset() }
      }
    }

    let mutations: [Mutation<Int, String>]
    let drawn: Drawn
    var body: some View {
      ForEach(mutations.indices, id: \.self) { Row(mutations[$0], drawn) }
    }
  }

  @Test("a preview shows mutations that run, wait, succeeded or failed; buttons change nothing")
  func mutations() {
    World.run(.further) { world in
      let drawn = Drawn()
      let work = ScriptedFetch<String>(.value("done"))
      let mutations = ["running", "paused", "success", "failure", "idle"].map { name in
        Mutation<Int, String>(name) { (_: Int) in try await work() }
      }
      let screen = world.show(
        Renames(mutations: mutations, drawn: drawn).queryPreview { preview in
          preview.running(mutations[0], with: 1)
          preview.paused(mutations[1], with: 2)
          preview.success("Ada", of: mutations[2], with: 3)
          preview.failure(Fatal(), of: mutations[3], with: 4)
        }
      )
      let expected = [
        "pending 1 - false", "pending 2 - true", "success 3 Ada false", "error 4 - false",
        "idle - - false",
      ]
      #expect(drawn.lines == expected)
      for button in ["Run", "Cancel", "Reset"] {
        screen.tapAll(button)
        world.advance(1_000)
      }
      #expect(drawn.lines == expected && work.callCount == 0)
      screen.unmount()
    }
  }

  // MARK: Buttons

  private struct Buttons: View {
    @LiveQuery private var user: ObservedQuery<String>
    @LiveInfiniteQuery<Int, Int> private var feed
    @LiveQueries private var batch: ObservedQueries
    let drawn: Drawn

    init(_ user: Query<String>, _ feed: InfiniteQuery<Int, Int>, _ drawn: Drawn) {
      _user = LiveQuery(user)
      _feed = LiveQuery(feed)
      _batch = LiveQueries([AnyQuery(user)])
      self.drawn = drawn
    }

    var body: some View {
      let flags = [user.isFetching, feed.isFetching, batch.isFetching]
      drawn("\(user.text) \(feed.pages) \(flags)")
      Button("Refetch") { user.refetch() }
      Button("Invalidate") { user.invalidate() }
      Button("Reset") { user.reset() }
      Button("Next page") { feed.fetchNextPage() }
      Button("Refetch all") { batch.refetch() }
      Button("Reset all") { batch.reset() }
    }
  }

  @Test("what buttons let observed objects do changes nothing in a preview")
  func buttons() {
    World.run(.further) { world in
      let (drawn, fetch) = (Drawn(), fetch("fetched"))
      let user = query("a", fetch).enabled(true)
      let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { _ in
        Issue.record("a preview fetches nothing")
        return 7
      } nextPageParam: {
        $0.pages.count + 1
      }
      let screen = world.show(
        Buttons(user, feed, drawn).queryPreview {
          $0.data("Ada", for: user)
          $0.data(Pages(10, param: 1), for: feed)
        }
      )
      for button in screen.buttons {
        screen.tap(button)
        world.advance(1_000)
      }
      #expect(screen.buttons.count == 6)
      #expect(drawn.lines == ["Ada [10] [false, false, false]"] && fetch.callCount == 0)
      screen.unmount()
    }
  }

  @Test("a boundary goes on showing the error of a preview")
  func boundary() {
    World.run(.further) { world in
      let fetch = fetch("fetched")
      let failed = query("a", fetch).throwOnError(true)
      let screen = world.show(
        QueryView(failed) { Text($0.text) }
          .errorBoundary { error, retry in
            Text("\(error)")
            Button("Retry", action: retry)
          }
          .queryPreview { $0.failure(Fatal(), for: failed) }
      )
      #expect(screen.texts == ["Fatal()"])
      screen.tap("Retry")
      world.advance(1_000)
      #expect(screen.texts == ["Fatal()"] && fetch.callCount == 0)
      screen.unmount()
    }
  }

  @Test("models of a preview's client fetch and run nothing either, and calls that wait return")
  func models() {
    World.run(.further) { world in
      let (fetch, work) = (fetch("fetched"), ScriptedFetch<String>(.value("done")))
      let shown = query("a", fetch).enabled(true)
      let mutation = Mutation<Int, String>("rename") { (_: Int) in try await work() }
      let preview = QueryPreview {
        $0.data("Ada", for: query("b", fetch))
        $0.success("Grace", of: mutation, with: 1)
      }
      let user = ObservedQuery(shown, client: preview.client)
      let batch = ObservedQueries([AnyQuery(shown)], client: preview.client)
      let search = ObservedFetcher("c", fetcher: ClosureFetcher { "found" }, client: preview.client)
      let rename = ObservedMutation(mutation, client: preview.client)
      #expect(rename.output == "Grace")
      var outcomes: [String] = []
      Task {
        outcomes.append("\(await user.refetch().fetchStatus)")
        await batch.refetch()
        outcomes.append("\(await search.refetch().fetchStatus)")
        do { _ = try await user.refetch(throwOnError: true) } catch {
          outcomes.append("\(type(of: error))")
        }
        do { _ = try await rename.mutate(2) } catch { outcomes.append("\(type(of: error))") }
      }
      world.advance(1_000)
      #expect(outcomes == ["idle", "idle", "CancellationError", "CancellationError"])
      user.update(query: query("b", fetch).enabled(true))
      #expect(user.data == "Ada")
      user.update(query: query("d", fetch).enabled(true))
      batch.update([AnyQuery(query("e", fetch).enabled(true))])
      world.advance(1_000)
      #expect(!user.isFetching && !batch.isFetching && user.isPending)
      // A call on the object, and an observation by the client.
      var values: [String] = []
      Task {
        do { _ = try await user.firstValue() } catch { values.append("\(type(of: error))") }
        user.update(query: query("b", fetch))
        values.append((try? await user.firstValue()) ?? "-")
      }
      let owner = Switches()
      for name in ["b", "f"] {
        preview.client.observe(query(name, fetch).enabled(true), on: owner) {
          values.append("\($0.data ?? "-") \($0.isFetching)")
        }
      }
      world.advance(1_000)
      #expect(values.sorted() == ["- false", "Ada", "Ada false", "CancellationError"])
      #expect(fetch.callCount == 0 && work.callCount == 0 && rename.output == "Grace")
    }
  }

  @Test("a boundary around another one goes on showing the error of a preview")
  func aBoundaryAroundAnotherOne() {
    World.run(.further) { world in
      let fetch = fetch("fetched")
      let failed = query("a", fetch).throwOnError(true)
      let screen = world.show(
        ErrorBoundaryView {
          ErrorBoundaryView(catching: { _ in false }) {
            QueryView(failed) { Text($0.text) }
          } failure: { _, _ in
            Text("inner")
          }
        } failure: { error, retry in
          Text("\(error)")
          Button("Retry", action: retry)
        }
        .queryPreview { $0.failure(Fatal(), for: failed) }
      )
      #expect(screen.texts == ["Fatal()"])
      screen.tap("Retry")
      world.advance(1_000)
      #expect(screen.texts == ["Fatal()"] && fetch.callCount == 0)
      screen.unmount()
    }
  }
}
