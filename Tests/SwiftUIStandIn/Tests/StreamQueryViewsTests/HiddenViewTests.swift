import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// Hidden views stop and start in time, whether or not SwiftUI draws them.
@MainActor
struct HiddenViewTests {
  private struct Stack<Root: View>: View {
    @Bindable var switches: Switches
    let root: Root
    var body: some View {
      NavigationStack(path: $switches.path) {
        root.navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
      }
    }
  }

  /// Hides a view, and shows it again.
  ///
  /// - Returns: How many observers there were before, meanwhile and afterwards.
  private func observers(
    _ world: World,
    around view: () -> some View
  ) -> [Int] {
    let switches = Switches()
    // Not kept in a constant: a view holds its first state.
    let mounted = world.mount(Stack(switches: switches, root: view()))
    var counts: [Int] = []
    // Longer than several changes are a doubt.
    world.advance(3000)
    for path in [[], [1], []] {
      switches.path = path
      world.advance(0)
      counts.append(world.observers)
    }
    mounted.unmount()
    world.advance(0)
    #expect(world.observers == 0)
    return counts
  }

  private func screen(_ name: String) -> Screen { screen(query(name, fetch("A"))) }

  private func screen(_ query: Query<String>) -> Screen {
    Screen(query.staleTime(.infinite), Drawn())
  }

  @Test("G05: what a modifier is around stops when it is hidden, and starts when it is back")
  func stopsAtOnce() {
    World.run(.further) { world in
      for (period, hidden) in [(ObservationPeriod.always, 1), (.onRender, 0), (.onAppear, 0)] {
        let counts = observers(world) { screen("\(period)").queryObservation(period) }
        #expect(counts == [1, hidden, 1])
      }
    }
  }

  @Test("a hidden query makes no request, and its first one at its return")
  func noRequests() {
    World.run(.further) { world in
      for seconds in [0, 5] {
        let (switches, fetch) = (Switches(), fetch("A", "B", "C"))
        let polled = query("\(seconds)", fetch).refetchInterval(.seconds(10))
          .staleTime(.seconds(seconds))
        let view = Screen(polled, Drawn()).queryObservation(.onAppear)
        let mounted = world.mount(Stack(switches: switches, root: view))
        world.advance(9_000)
        switches.path = [1]
        world.advance(60_000)
        #expect(fetch.callCount == 1 && world.observers == 0)
        switches.path = []
        world.advance(30)
        #expect(fetch.callCount == 2 && world.observers == 1)
        // Nothing more before the interval is over, however stale it is.
        world.advance(9_000)
        #expect(fetch.callCount == 2)
        mounted.unmount()
        world.advance(0)
      }
    }
  }

  @Test("of several modifiers around a view, each can hide it")
  func nested() {
    World.run(.further) { world in
      for (inner, outer) in [
        (ObservationPeriod.always, ObservationPeriod.always), (.always, .onAppear),
        (.onAppear, .always), (.onRender, .onAppear),
      ] {
        let counts = observers(world) {
          screen("\(inner) \(outer)").queryObservation(inner).padding().queryObservation(outer)
        }
        let hidden = (inner, outer) == (.always, .always) ? 1 : 0
        #expect(counts == [1, hidden, 1], "\(inner) \(outer)")
      }
    }
  }

  @Test("what the environment says inside of a modifier counts more than that")
  func environment() {
    World.run(.further) { world in
      let on = observers(world) {
        screen("on").environment(\.queryObservationEnabled, true).queryObservation(.onAppear)
      }
      let off = observers(world) {
        screen("off").environment(\.queryObservationEnabled, false).queryObservation(.onAppear)
      }
      let around = observers(world) {
        screen("around").queryObservation(.onAppear).environment(\.queryObservationEnabled, false)
      }
      #expect([on, off, around] == [[1, 1, 1], [0, 0, 0], [0, 0, 0]])
    }
  }

  private struct Told: View {
    @SwiftUI.Environment(\.queryObservationEnabled) private var isEnabled
    let drawn: Drawn
    var body: some View { drawn("\(isEnabled)") }
  }

  @Test("a view that reads whether its surroundings observe is drawn with what holds when it shows")
  func readers() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let view = Told(drawn: drawn).queryObservation(.onAppear)
      let mounted = world.mount(Stack(switches: switches, root: view))
      world.advance(0)
      #expect(drawn.lines.last == "true")
      switches.path = [1]
      world.advance(10)
      #expect(drawn.lines.last == (world.behaviour.drawsHidden ? "false" : "true"))
      switches.path = []
      world.advance(10)
      #expect(drawn.lines.last == "true")
      mounted.unmount()
    }
  }

  private struct Rows: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      ForEach(Array(queries.enumerated()).filter { $0.offset >= switches.id }, id: \.offset) {
        Screen($0.element, Drawn())
      }
    }
  }

  @Test("rows that come and go in a modifier are told as long as they are there")
  func rows() {
    World.run(.further) { world in
      let switches = Switches()
      switches.id = 0
      let queries = (0..<10).map { query("\($0)", fetch("A")).staleTime(.infinite) }
      let view = VStack { Rows(switches: switches, queries: queries) }.queryObservation(.onAppear)
      let mounted = world.mount(Stack(switches: switches, root: view))
      // With the rows that were made so far.
      for (first, made) in [(0, 10), (7, 10), (2, 15)] {
        switches.id = first
        // Longer than changes that come together are a doubt.
        world.advance(3000)
        // The state of a removed row may live on, and then it is not known for how long.
        let most = world.behaviour.freesStateLate ? made : 10 - first
        #expect((10 - first...most).contains(world.observers))
        switches.path = [1]
        world.advance(0)
        #expect(world.observers == 0)
        switches.path = []
        world.advance(0)
      }
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Named: View {
    @LiveQuery<String> private var one
    @LiveQueries private var list: ObservedQueries
    let query: Query<String>
    let drawn: Drawn

    init(_ query: Query<String>, _ drawn: Drawn) {
      _one = LiveQuery(query)
      _list = LiveQueries([AnyQuery(query)])
      (self.query, self.drawn) = (query, drawn)
    }

    var body: some View { drawn("\(one.text) \(list[query]?.data ?? "-")") }
  }

  private struct Account: View {
    let switches: Switches
    let clients: [QueryClient]
    let content: AnyView
    var body: some View { content.queryClient(clients[switches.isOn ? 0 : 1]) }
  }

  @Test("G05: what does not observe is never drawn with the data of a former client")
  func clientIsSwapped() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let bobs = QueryClient(simulation: world.simulation)
      let query = query("a", fetch("fetched")).staleTime(.infinite)
      world.client.setData("Ada's", for: query)
      bobs.setData("Bob's", for: query)
      let clients = [world.client, bobs]
      let hidden = Stack(
        switches: switches,
        root: Named(query, drawn).queryObservation(.onAppear)
      )
      let mounted = world.mount(
        Account(switches: switches, clients: clients, content: AnyView(hidden))
      )
      #expect(drawn.take().last == "Ada's Ada's")
      switches.path = [1]
      world.advance(10)
      _ = drawn.take()
      switches.isOn = false
      world.advance(10)
      switches.path = []
      world.advance(10)
      let lines = drawn.take()
      #expect(lines.last == "Bob's Bob's" && lines.allSatisfy { $0 == "Bob's Bob's" })
      #expect(world.observers == 0)
      mounted.unmount()
      switches.isOn = true
      _ = drawn.take()
      // What observes nothing is shown what is cached.
      let disabled = Named(query, drawn).environment(\.queryObservationEnabled, false)
      let other = world.mount(
        Account(switches: switches, clients: clients, content: AnyView(disabled))
      )
      #expect(drawn.take().last == "Ada's Ada's")
      switches.isOn = false
      world.advance(10)
      #expect(drawn.take().last == "Bob's Bob's")
      other.unmount()
    }
  }
}
