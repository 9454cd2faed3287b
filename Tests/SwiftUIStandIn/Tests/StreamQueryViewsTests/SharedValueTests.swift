import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// One view value at two places: each place has an object of its own.
@MainActor
struct SharedValueTests {
  private struct Row: View {
    @LiveQuery<String> private var value: ObservedQuery<String>
    private let drawn: Drawn

    init(_ query: Query<String>, _ drawn: Drawn) {
      _value = LiveQuery(query)
      self.drawn = drawn
    }

    var body: some View { drawn(value.text) }
  }

  private struct Pair<First: View, Second: View>: View {
    let first: First
    let second: Second
    var body: some View {
      VStack {
        first
        second
      }
    }
  }

  @Test("below one client they share the request")
  func oneClient() {
    World.run(.further) { world in
      let (drawn, fetch) = (Drawn(), fetch("A"))
      let row = Row(query("a", fetch), drawn)
      let mounted = world.mount(Pair(first: row, second: row))
      #expect(drawn.take() == ["-", "-"] && world.observers == 2)
      world.advance(30)
      #expect(drawn.take() == ["A", "A"] && fetch.callCount == 1)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("below two clients each shows its own, and comes to rest")
  func twoClients() {
    World.run(.further) { world in
      let drawn = Drawn()
      let other = QueryClient(simulation: world.simulation)
      let shown = query("a", fetch("1")).staleTime(.static)
      world.client.setData("mine", for: shown)
      other.setData("other", for: shown)
      let row = Row(shown, drawn)
      let mounted = world.mount(Pair(first: row, second: row.queryClient(other)))
      world.advance(100)
      #expect(drawn.take() == ["mine", "other"])
      #expect(world.observers == 1)
      #expect(other.diagnostics(.all).map(\.observerCount) == [1])
      other.setData("new", for: shown)
      world.advance(0)
      #expect(drawn.take() == ["new"])
      mounted.unmount()
    }
  }

  @Test("the other one fetches where one of them may not")
  func oneMayNotObserve() {
    World.run(.further) { world in
      let (drawn, fetch) = (Drawn(), fetch("A"))
      let row = Row(query("a", fetch), drawn)
      let silent = row.environment(\.queryObservationEnabled, false)
      let mounted = world.mount(Pair(first: row, second: silent))
      world.advance(100)
      #expect(drawn.take() == ["-", "-", "A"])
      #expect(fetch.callCount == 1 && world.observers == 1)
      mounted.unmount()
    }
  }

  @Test("each fails in the boundary around it")
  func twoBoundaries() {
    World.run { world in
      let drawn = Drawn()
      let failing = Query<String>("a") { throw Fatal() }.retry(0).throwOnError(.always)
      let row = Row(failing, drawn)
      let mounted = world.mount(
        Pair(
          first: row.errorBoundary { _, _ in drawn("failed 1") },
          second: row.errorBoundary { _, _ in drawn("failed 2") }
        )
      )
      world.advance(100)
      #expect(Set(drawn.take()).isSuperset(of: ["failed 1", "failed 2"]))
      mounted.unmount()
    }
  }

  // MARK: Objects

  /// The objects that were seen, kept so that none has the address of another.
  @MainActor
  private final class Seen {
    private(set) var objects: [ObjectIdentifier: AnyObject] = [:]

    func callAsFunction(_ object: AnyObject?) -> SwiftUI.Text {
      if let object { objects[ObjectIdentifier(object)] = object }
      return SwiftUI.Text(verbatim: "seen")
    }
  }

  /// Reads the object of a property.
  private struct Reader<Property: DynamicProperty>: View {
    let property: Property
    let object: @MainActor (Property) -> AnyObject
    let seen: Seen
    var body: some View { seen(object(property)) }
  }

  /// Reads what is around it.
  private struct Around: View {
    @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
    let object: @MainActor (QueryEnvironment) -> AnyObject?
    let seen: Seen
    var body: some View { seen(object(queryEnvironment)) }
  }

  /// How many objects a view has that stands at two places.
  private func count(_ world: World, _ make: (Seen) -> some View) -> Int {
    let seen = Seen()
    let view = make(seen)
    let mounted = world.mount(Pair(first: view, second: view))
    world.advance(100)
    mounted.unmount()
    return seen.objects.count
  }

  @Test("each property wrapper has an object for each place")
  func wrappers() {
    World.run { world in
      let shown = query("a", fetch("A"))
      #expect(
        count(world) { seen in
          Reader(property: LiveQuery(shown), object: { $0.wrappedValue }, seen: seen)
        } == 2
      )
      #expect(
        count(world) { seen in
          let select: @Sendable (String) -> Int = { $0.count }
          return Reader(
            property: LiveSelection(shown, select: select),
            object: { $0.wrappedValue },
            seen: seen
          )
        } == 2
      )
      #expect(
        count(world) { seen in
          Reader(property: LiveQueries([AnyQuery(shown)]), object: { $0.wrappedValue }, seen: seen)
        } == 2
      )
      #expect(
        count(world) { seen in
          let mutation = Mutation<Int, Int>(key: ["m"]) { $0 }
          return Reader(property: LiveMutation(mutation), object: { $0.wrappedValue }, seen: seen)
        } == 2
      )
      #expect(
        count(world) { seen in
          let pages = LivePagination(Pagination(input: 1)) { (_: Int, _: Int) in shown }
          return Reader(property: pages, object: { $0.wrappedValue }, seen: seen)
        } == 2
      )
      #expect(
        count(world) { seen in
          let fetcher = LiveFetcher(fetcher: ClosureFetcher { "A" }) { Query("f", fetcher: $0) }
          return Reader(property: fetcher, object: { $0.wrappedValue }, seen: seen)
        } == 2
      )
    }
  }

  @Test("each view that holds something for what is in it has it for each place")
  func containers() {
    World.run { world in
      #expect(
        count(world) { seen in
          QueryClientProvider { Around(object: { $0.client }, seen: seen) }
        } == 2
      )
      #expect(
        count(world) { seen in
          ErrorBoundaryView {
            Around(object: { $0.boundary }, seen: seen)
          } failure: { _, _ in
            seen(nil)
          }
        } == 2
      )
      #expect(
        count(world) { seen in
          Around(object: { $0.presence }, seen: seen).queryObservation(.onAppear)
        } == 2
      )
      #expect(
        count(world) { seen in Around(object: { $0.context }, seen: seen).queryAnimation(.default) }
          == 2
      )
      #expect(
        count(world) { seen in Around(object: { $0.client }, seen: seen).queryPreview { _ in } }
          == 2
      )
    }
  }

  @Test("two scenes of one view value are two")
  func scenes() {
    World.run { world in
      let scenes = SceneActivity()
      let states = world.simulation.record(scenes.activity.states())
      let shown = Switches()
      shown.isOn = true
      let scene = Drawn()("scene").sceneActivity(scenes)
      let mounted = world.mount(OneOrTwo(switches: shown, scene: scene))
      world.advance(0)
      shown.isOn = false
      world.advance(100)
      // The other one is still in the foreground.
      #expect(!states.values.contains(false))
      mounted.unmount()
    }
  }

  private struct OneOrTwo<Scene: View>: View {
    let switches: Switches
    let scene: Scene
    var body: some View {
      VStack {
        scene
        if switches.isOn { scene }
      }
    }
  }
}
