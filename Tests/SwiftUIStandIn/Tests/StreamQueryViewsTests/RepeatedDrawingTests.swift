import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// A view that says what it observes each time that it is drawn is not drawn because of that.
@MainActor
struct RepeatedDrawingTests {
  /// Mounts a view that is drawn a few times, and not again and again.
  private func comesToRest(
    at last: String,
    within count: Int = 3,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ view: @MainActor (Drawn) -> some View
  ) {
    World.run { world in
      let drawn = Drawn()
      let mounted = world.mount(view(drawn))
      world.advance(30)
      #expect(
        drawn.lines.count <= count && drawn.lines.last == last,
        sourceLocation: sourceLocation
      )
      mounted.unmount()
    }
  }

  private struct Whole: View {
    @LiveQuery<String> var item
    let fetch: ScriptedFetch<String>
    let drawn: Drawn
    var body: some View {
      drawn(item.result.data ?? "-")
        .query($item, Query(key: "a", fetch: fetch).placeholder("stand-in").enabled(false))
    }
  }

  @Test("a view that reads a whole result, and names a placeholder, comes to rest")
  func results() {
    comesToRest(at: "stand-in") { Whole(fetch: fetch("A"), drawn: $0) }
  }

  private struct Unequal {}

  private struct WithUnequal: View {
    @LiveQuery<Unequal> var item
    let drawn: Drawn
    var body: some View {
      drawn(item.data == nil ? "-" : "there")
        .query($item, Query(key: "unequal").placeholder(Unequal()).enabled(false))
    }
  }

  @Test("a placeholder that cannot be compared is taken once for a key")
  func unequal() {
    comesToRest(at: "there") { WithUnequal(drawn: $0) }
  }

  private struct Batch: View {
    @LiveQueries var batch
    let fetch: ScriptedFetch<String>
    let drawn: Drawn
    var body: some View {
      let asked = Query(key: "a", fetch: fetch).placeholder("stand-in").enabled(false)
      drawn(batch[asked]?.data ?? "-").queries($batch, [AnyQuery(asked)])
    }
  }

  @Test("a view of a list that has a placeholder comes to rest")
  func lists() {
    comesToRest(at: "stand-in") { Batch(fetch: fetch("A"), drawn: $0) }
  }

  private struct Saving: View {
    @LiveMutation private var save: ObservedMutation<Int, Int>
    let drawn: Drawn
    var body: some View {
      drawn("\(save.state.status)")
        .mutation($save, key: "save") { $0 }
        .task {
          if save.isIdle { save.run(1) }
        }
    }
  }

  @Test("a view that reads the whole state of a mutation comes to rest")
  func mutations() {
    comesToRest(at: "success", within: 7) { Saving(drawn: $0) }
  }

  private struct Optional: View {
    let switches: Switches
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      Child(query, switches.isOn ? ObserverOptions(enabled: false) : nil, drawn)
    }
    private struct Child: View {
      @LiveQuery<String> var item
      let drawn: Drawn
      init(_ query: Query<String>, _ options: ObserverOptions?, _ drawn: Drawn) {
        _item = LiveQuery(query, options: options)
        self.drawn = drawn
      }
      var body: some View { drawn("\(item.text) \(item.isEnabled)") }
    }
  }

  @Test("V02: options that a wrapper no longer has are gone")
  func optionsGo() {
    World.run(.further) { world in
      let (switches, drawn, fetch) = (Switches(), Drawn(), fetch("A"))
      let view = Optional(switches: switches, query: query("a", fetch), drawn: drawn)
      let mounted = world.mount(view)
      world.advance(30)
      #expect(fetch.callCount == 0)
      switches.isOn = false
      world.advance(30)
      #expect(drawn.lines.last == "A true" && fetch.callCount == 1)
      mounted.unmount()
    }
  }

  private struct Pages: View {
    let switches: Switches
    let drawn: Drawn
    var body: some View { Child(ObserverOptions(enabled: !switches.isOn), drawn) }
    private struct Child: View {
      @LivePagination<Int, Int, String> var pages: ObservedPagination<Int, Int, String>
      let drawn: Drawn
      init(_ options: ObserverOptions, _ drawn: Drawn) {
        _pages = LivePagination(Pagination(input: 0), options: options) { _, page in
          Query("pages", page) { "page \(page)" }
        }
        self.drawn = drawn
      }
      var body: some View { drawn(pages.query.data ?? "-") }
    }
  }

  @Test("V02: options of pages that change with their view are followed")
  func optionsOfPages() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let mounted = world.mount(Pages(switches: switches, drawn: drawn))
      world.advance(30)
      #expect(drawn.lines.last == "-")
      switches.isOn = false
      world.advance(30)
      #expect(drawn.lines.last == "page 1")
      mounted.unmount()
    }
  }

  private struct Home: View {
    @Bindable var switches: Switches
    let activity: SceneActivity
    var body: some View {
      NavigationStack(path: $switches.path) {
        Text("home").sceneActivity(activity)
          .navigationDestination(for: Int.self) { _ in Text("detail") }
      }
    }
  }

  @Test("a scene is in the foreground again when its view is back")
  func scenesComeBack() {
    World.run { world in
      let (switches, activity) = (Switches(), SceneActivity())
      let client = QueryClient(simulation: world.simulation) { $0.activity = activity.activity }
      let fetch = fetch("A", "B")
      let mounted = world.mount(Home(switches: switches, activity: activity))
      world.advance(0)
      switches.path = [1]
      world.advance(0)
      switches.path = []
      world.advance(0)
      let observer = client.observer(of: query("a", fetch))
      world.advance(30)
      #expect(!observer.result.isPaused && observer.result.data == "A")
      // Another scene goes; this one is still looked at.
      let other = Drawn()
      activity.changed(other, isForeground: true)
      activity.changed(other, isForeground: false)
      let interval = client.observer(of: query("a", fetch).refetchInterval(.milliseconds(50)))
      world.advance(200)
      #expect(interval.result.data == "B")
      mounted.unmount()
    }
  }
}
