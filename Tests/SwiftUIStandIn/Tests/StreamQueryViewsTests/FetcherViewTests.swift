import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// Finds what its property says when it fetches, unless the server is down.
@MainActor
private final class Search: QueryFetcher {
  static var count = 0
  static var isDown = false
  var text: String
  private let pause = ScriptedFetch(.value((), after: .milliseconds(30)))

  init(_ text: String = "a") {
    self.text = text
    Self.count += 1
  }

  func fetch() async throws -> String {
    let found = text
    try await pause()
    if Self.isDown { throw Fatal() }
    return found
  }
}

private struct SearchView: View {
  @LiveFetcher(
    fetcher: Search(),
    query: { Query("search", fetcher: $0).retry(0).throwOnError(true) }
  )
  private var search
  let drawn: Drawn

  var body: some View {
    drawn(search.query.text)
    Button("Find b") { search.refetch { $0.text = "b" } }
  }
}

@MainActor
struct FetcherViewTests {
  @Test("a fetcher is made once for a view, however often that is made, and ends with it")
  func once() {
    struct Parent: View {
      @State private var number = 0
      let drawn: Drawn
      var body: some View {
        Button("Draw") { number += 1 }
        Text("\(number)")
        SearchView(drawn: drawn)
      }
    }
    World.run(.further) { world in
      Search.count = 0
      let drawn = Drawn()
      let screen = world.show(Parent(drawn: drawn))
      for _ in 0..<10 {
        screen.tap("Draw")
        world.advance(1)
      }
      world.advance(30)
      screen.tap("Find b")
      world.advance(30)
      #expect(Search.count == 1 && world.observers == 1)
      #expect(drawn.lines.first == "-" && drawn.lines.suffix(1) == ["b"])
      #expect(screen.texts == ["10"])
      screen.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("what is cached shows in the first frame, and each search draws once")
  func frames() {
    World.run(.further) { world in
      let drawn = Drawn()
      world.client.setData("cached", for: QueryKey("search"))
      let screen = world.show(SearchView(drawn: drawn))
      world.advance(30)
      screen.tap("Find b")
      world.advance(30)
      #expect(drawn.lines == ["cached", "a", "b"])
      screen.unmount()
    }
  }

  @Test("errors go to the boundary of the environment, and trying again is drawn in its place")
  func boundary() {
    World.run(.further) { world in
      Search.isDown = true
      let drawn = Drawn()
      let screen = world.show(
        SearchView(drawn: drawn).errorBoundary { error, retry in
          Text("\(error)")
          Button("Retry", action: retry)
        }
      )
      world.advance(30)
      #expect(screen.texts == ["Fatal()"] && drawn.lines == ["-"])
      Search.isDown = false
      screen.tap("Retry")
      world.advance(31)
      #expect(screen.texts == [] && screen.buttons == ["Find b"])
      // The content is a new view, which shows nothing of the former one.
      #expect(drawn.lines == ["-", "-", "a"])
      screen.unmount()
    }
  }

  @Test("another client of the environment fetches for the same object")
  func swapped() {
    struct Parent: View {
      @State private var isOther = false
      let clients: [QueryClient]
      let drawn: Drawn
      var body: some View {
        Button("Swap") { isOther = true }
        SearchView(drawn: drawn).queryClient(clients[isOther ? 1 : 0])
      }
    }
    World.run(.further) { world in
      Search.count = 0
      let other = QueryClient(simulation: world.simulation)
      let drawn = Drawn()
      let screen = world.show(Parent(clients: [world.client, other], drawn: drawn))
      world.advance(30)
      screen.tap("Find b")
      world.advance(30)
      screen.tap("Swap")
      world.advance(0)
      #expect(drawn.take() == ["-", "a", "b", "-"])
      world.advance(30)
      #expect(drawn.take() == ["b"] && Search.count == 1 && world.observers == 0)
      screen.unmount()
    }
  }

  @Test("in a preview it shows what was prepared, and a search changes nothing")
  func preview() {
    World.run(.further) { world in
      let drawn = Drawn()
      let screen = world.show(
        SearchView(drawn: drawn).queryPreview { $0.data("Ada", for: Query<String>(key: "search")) }
      )
      world.advance(1_000)
      screen.tap("Find b")
      world.advance(1_000)
      #expect(drawn.lines == ["Ada"])
      screen.unmount()
    }
  }

  @Test("a wrapper with an animation applies what arrives in it")
  func animation() {
    struct Animated: View {
      @LiveFetcher("search", fetcher: Search(), animation: .default) private var search
      let drawn: Drawn
      var body: some View {
        drawn(search.query.text).transaction { transaction in
          _ = drawn("in \(transaction.animation == .default)")
        }
      }
    }
    World.run(.further) { world in
      let drawn = Drawn()
      let mounted = world.mount(Animated(drawn: drawn))
      world.advance(30)
      #expect(drawn.lines == ["-", "in false", "a", "in true"])
      mounted.unmount()
    }
  }

  @Test("attached to a view, it observes while that is shown")
  func attached() {
    struct Hideable: View {
      @LiveFetcher("search", fetcher: Search()) private var search
      @State private var isShown = true
      var body: some View {
        Button("Hide") { isShown = false }
        if isShown { Text(search.query.text).attach($search) }
      }
    }
    World.run(.further) { world in
      let screen = world.show(Hideable())
      world.advance(30)
      #expect(screen.texts == ["a"] && world.observers == 1)
      screen.tap("Hide")
      world.advance(3_000)
      #expect(world.observers == 0)
      screen.unmount()
    }
  }

  private struct EmptyUntilFound: View {
    @LiveFetcher("search", fetcher: Search()) private var search

    var body: some View { Found(search: search).attach($search) }
  }

  /// Empty, and drawn alone, while there is no data.
  private struct Found: View {
    let search: ObservedFetcher<Search>

    var body: some View {
      if let data = search.query.data { Text(data) }
    }
  }

  @Test("a row that becomes empty with what the fetcher's query shows comes back with it")
  func emptied() {
    World.run(.further) { world in
      let screen = world.show(EmptyUntilFound())
      world.advance(30)
      let data = screen.texts
      #expect(data.count == 1)
      world.client.clear()
      world.advance(3_000)
      #expect(screen.texts == [] && world.observers == 1)
      world.client.setData("found", for: "search" as QueryKey<String>)
      world.advance(0)
      #expect(screen.texts == ["found"])
      screen.unmount()
    }
  }
}
