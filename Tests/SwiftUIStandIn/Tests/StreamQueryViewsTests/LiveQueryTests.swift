import Observation
import StreamQuery
import StreamQueryTesting
import SwiftUI
import Synchronization
import Testing

@testable import StreamQueryViews

/// A screen with one query, given by its parent.
struct Screen: View {
  @LiveQuery<String> var item
  let drawn: Drawn

  init(_ query: Query<String>, _ drawn: Drawn, keepsPreviousData: Bool = false) {
    _item = LiveQuery(query, keepsPreviousData: keepsPreviousData)
    self.drawn = drawn
  }

  var body: some View { drawn(item.text) }
}

/// What a test changes to make views change.
@MainActor @Observable
final class Switches {
  var count = 0
  var isOn = true
  var id = 1
  var path: [Int] = []
  var phase = ScenePhase.active
}

@MainActor
struct LiveQueryTests {
  @Test("V09: a spinner, then the data: two drawings")
  func spinnerThenData() {
    World.run(.further) { world in
      let drawn = Drawn()
      let mounted = world.mount(Screen(query("a", fetch("A")), drawn))
      #expect(drawn.lines == ["-"])
      world.advance(29)
      #expect(drawn.lines == ["-"])
      world.advance(1)
      #expect(drawn.lines == ["-", "A"])
      #expect(world.observers == 1)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("V12: the first frame shows what is cached, initial or a placeholder")
  func firstFrame() {
    World.run(.further) { world in
      let drawn = Drawn()
      let cached = query("a", fetch("new"))
      world.client.setData("cached", for: cached)
      world.advance(1)
      let mounted = world.mount(
        Group {
          Screen(cached, drawn)
          Screen(query("b", fetch("B")).initialData("initial"), drawn)
          Screen(query("c", fetch("C")).placeholder("stand-in"), drawn)
        }
      )
      #expect(drawn.take() == ["cached", "initial", "stand-in"])
      world.advance(30)
      #expect(drawn.take().sorted() == ["B", "C", "new"])
      mounted.unmount()
    }
  }

  private struct Counts: View {
    @LiveValue(.fetchingCount()) private var fetching
    let drawn: Drawn
    var body: some View { drawn("\(fetching)") }
  }

  @Test("a value of the client is followed while its view exists, and drawn when it changes")
  func valueOfTheClient() {
    World.run { world in
      let drawn = Drawn()
      let observed = ObservedQuery(query("a", fetch("A")), client: world.client)
      let mounted = world.mount(Counts(drawn: drawn))
      #expect(drawn.lines == ["1"])
      world.advance(30)
      #expect(drawn.lines == ["1", "0"] && observed.data == "A")
      mounted.unmount()
    }
  }

  private struct Own: View {
    @LiveValue private var value: String
    let drawn: Drawn
    init(_ source: ClientValue<String>, _ drawn: Drawn) {
      _value = LiveValue(source)
      self.drawn = drawn
    }
    var body: some View { drawn(value) }
  }

  @Test("a value is followed by one stream, which ends with the view")
  func endOfAValue() {
    World.run { world in
      let (drawn, log) = (Drawn(), Log())
      let source = ClientValue(initial: "-", now: { _ in "now" }) { _ in
        let (texts, text) = AsyncStream<String>.makeStream()
        log.add("begins")
        text.onTermination = { _ in log.add("ends") }
        text.yield("then")
        return texts
      }
      let mounted = world.mount(Own(source, drawn))
      world.advance(1000)
      #expect(drawn.lines == ["now", "then"] && log.lines == ["begins"])
      mounted.unmount()
      world.advance(0)
      #expect(log.lines == ["begins", "ends"])
    }
  }

  private final class Log: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  private struct Inline: View {
    @LiveQuery(Query("inline") { "fetched" }.initialData("initial")) var item
    @LiveSelection(Query("count") { [1, 2] }, select: { $0.count }) var count
    @LiveQuery(key: "keyed", fetch: { "keyed" }) var keyed
    let drawn: Drawn
    var body: some View { drawn("\(item.text) \(count.text) \(keyed.text)") }
  }

  @Test("V09, V05: a query and a selection are named inline")
  func inline() {
    World.run { world in
      let drawn = Drawn()
      let mounted = world.mount(Inline(drawn: drawn))
      #expect(drawn.lines.first == "initial - -")
      world.advance(1)
      #expect(drawn.lines.last == "fetched 2 keyed")
      mounted.unmount()
    }
  }

  private struct Parent: View {
    let switches: Switches
    let query: Query<String>
    let drawn: Drawn
    let parentDrawn: Drawn
    var body: some View {
      parentDrawn("\(switches.count)")
      if switches.isOn { Screen(query, drawn) }
    }
  }

  @Test("drawing the parent a hundred times makes one subscription and one request")
  func parentIsDrawnAgain() {
    World.run(.further) { world in
      let (switches, drawn, parentDrawn) = (Switches(), Drawn(), Drawn())
      let fetch = fetch("A", "B")
      let view = Parent(
        switches: switches,
        query: query("a", fetch),
        drawn: drawn,
        parentDrawn: parentDrawn
      )
      let mounted = world.mount(view)
      world.advance(30)
      for _ in 0..<100 {
        switches.count += 1
        world.advance(1)
        #expect(world.observers == 1)
      }
      #expect(parentDrawn.lines.count == 101)
      #expect(fetch.callCount == 1)
      #expect(world.client.lookups.total == 1)
      switches.isOn = false
      world.advance(0)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Keyed: View {
    let switches: Switches
    let queries: [Query<String>]
    let drawn: Drawn
    var keeps = false
    var body: some View {
      Screen(queries[switches.id], drawn, keepsPreviousData: keeps)
    }
  }

  @Test("a key that changes while it fetches cancels its request and shows no former data")
  func keyChangesDuringAFetch() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetches = [fetch("0"), fetch("1", "1 again"), fetch("2")]
      let queries = fetches.enumerated().map { query("\($0.offset)", $0.element) }
      switches.id = 1
      let mounted = world.mount(Keyed(switches: switches, queries: queries, drawn: drawn))
      world.advance(10)
      switches.id = 2
      world.advance(29)
      #expect(fetches[1].calls.map(\.outcome) == [.cancelled])
      #expect(Set(drawn.lines) == ["-"])
      world.advance(1)
      #expect(drawn.lines.last == "2" && world.observers == 1)
      switches.id = 1
      world.advance(0)
      #expect(drawn.lines.last == "-")
      world.advance(30)
      #expect(drawn.lines.last == "1 again")
      mounted.unmount()
    }
  }

  @Test(
    "a key that changes shows the former data until the new is there, and may finish its request"
  )
  func keyChangesKeepingData() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetches = [fetch("0"), fetch("1"), fetch("2")]
      let queries = fetches.enumerated().map {
        query("\($0.offset)", $0.element).onAbandonment(.finish)
      }
      switches.id = 0
      let mounted = world.mount(
        Keyed(switches: switches, queries: queries, drawn: drawn, keeps: true)
      )
      world.advance(30)
      switches.id = 1
      world.advance(10)
      switches.id = 2
      world.advance(30)
      #expect(fetches[1].calls.map(\.outcome) == [.value])
      #expect(drawn.lines.first == "-" && drawn.lines.last == "2")
      #expect(Set(drawn.lines) == ["-", "0", "2"])
      mounted.unmount()
    }
  }

  private struct Rows: View {
    let queries: [Query<String>]
    let drawn: Drawn
    var body: some View {
      // Not lazy.
      VStack { ForEach(queries.indices, id: \.self) { Screen(queries[$0], drawn) } }
    }
  }

  @Test("a list of 1,000 rows, each with its query, is drawn once for what changes together")
  func thousandRows() {
    // Many drawings: two behaviours that differ in everything are enough, and one of the rare ones.
    let (usual, rare) = (Mounted.Behaviour.all, Mounted.Behaviour.further)
    for behaviour in Set([usual.first, usual.last, rare.last]).compactMap(\.self) {
      Simulation.onMainActor { simulation in
        let client = QueryClient(simulation: simulation)
        let world = World(simulation: simulation, client: client, behaviour: behaviour)
        let drawn = Drawn()
        let queries = (0..<1000).map { index in query("\(index)", fetch("row \(index)")) }
        let mounted = world.mount(Rows(queries: queries, drawn: drawn))
        #expect(drawn.take() == Array(repeating: "-", count: 1000))
        #expect(world.observers == 1000)
        world.advance(30)
        #expect(drawn.take().sorted() == (0..<1000).map { "row \($0)" }.sorted())
        for query in queries { client.setData("written", for: query) }
        for query in queries { client.setData("written last", for: query) }
        world.advance(0)
        #expect(drawn.take() == Array(repeating: "written last", count: 1000))
        client.setData("one", for: queries[500])
        world.advance(0)
        #expect(drawn.take() == ["one"])
        mounted.unmount()
        world.advance(0)
        #expect(world.observers == 0)
      }
    }
  }

  private struct WithClients: View {
    let switches: Switches
    let clients: [QueryClient]
    let query: Query<String>
    let drawn: Drawn
    var body: some View { Screen(query, drawn).queryClient(clients[switches.id]) }
  }

  @Test("V01: a client that is swapped in the environment is observed from then on")
  func clientIsSwapped() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let other = QueryClient(simulation: world.simulation)
      let shown = query("a", fetch("A", "B"))
      other.setData("other", for: shown)
      switches.id = 0
      let mounted = world.mount(
        WithClients(
          switches: switches,
          clients: [world.client, other],
          query: shown.staleTime(.seconds(60)),
          drawn: drawn
        )
      )
      world.advance(30)
      #expect(drawn.lines == ["-", "A"])
      switches.id = 1
      world.advance(0)
      #expect(drawn.lines.last == "other" && world.observers == 0)
      other.setData("written", for: shown)
      world.advance(0)
      #expect(drawn.lines.last == "written")
      mounted.unmount()
      world.advance(0)
      #expect(other.diagnostics(.all).map(\.observerCount) == [0])
    }
  }

  private struct TwoOptions: View {
    @LiveQuery<String> var one
    @LiveQuery<String> var other
    let drawn: Drawn
    init(_ query: Query<String>, _ drawn: Drawn) {
      _one = LiveQuery(query, options: ObserverOptions(staleTime: .static))
      _other = LiveQuery(query, options: ObserverOptions(staleTime: .zero))
      self.drawn = drawn
    }
    var body: some View { drawn("\(one.isStale) \(other.isStale) \(one.text)") }
  }

  @Test("two wrappers of one key share requests; each has its own options")
  func twoWrappersOfOneKey() {
    World.run(.further) { world in
      let drawn = Drawn()
      let fetch = fetch("A")
      let mounted = world.mount(TwoOptions(query("a", fetch), drawn))
      world.advance(31)
      #expect(drawn.lines.last == "false true A")
      #expect(fetch.callCount == 1 && world.observers == 2)
      mounted.unmount()
    }
  }

  private struct WithOptions: View {
    let switches: Switches
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      Child(query, ObserverOptions(enabled: switches.isOn), drawn)
    }
    private struct Child: View {
      @LiveQuery<String> var item
      let drawn: Drawn
      init(_ query: Query<String>, _ options: ObserverOptions, _ drawn: Drawn) {
        _item = LiveQuery(query, options: options)
        self.drawn = drawn
      }
      var body: some View { drawn("\(item.text) \(item.isEnabled)") }
    }
  }

  @Test("V02: options of a wrapper that change with its view are followed")
  func optionsChange() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("A")
      switches.isOn = false
      let mounted = world.mount(
        WithOptions(switches: switches, query: query("a", fetch), drawn: drawn)
      )
      world.advance(30)
      #expect(Set(drawn.take()) == ["- false"] && fetch.callCount == 0)
      switches.isOn = true
      world.advance(30)
      #expect(drawn.take().last == "A true" && fetch.callCount == 1)
      mounted.unmount()
    }
  }

  @Test("a view without a client uses a shared one, and says so once")
  func noClient() {
    World.run { world in
      Reports.collected { reports in
        let client = world.client
        FallbackClient.make = { client }
        let drawn = Drawn()
        let shown = query("a", fetch("A"))
        let mounted = world.mount(
          alone: Group {
            Screen(shown, drawn)
            Screen(shown, drawn)
          }
        )
        world.advance(30)
        #expect(drawn.lines == ["-", "-", "A", "A"])
        #expect(reports.all == [.noClient])
        mounted.unmount()
      }
    }
  }

  @Test("a wrapper that is read outside of a view observes nothing, and says so")
  func outsideOfAView() {
    World.run { world in
      Reports.collected { reports in
        let screen = Screen(query("a", fetch("A")), Drawn())
        #expect(screen.item.text == "-")
        #expect(reports.all.count == 1)
        world.advance(100)
        #expect(screen.item.text == "-")
      }
    }
  }
}
