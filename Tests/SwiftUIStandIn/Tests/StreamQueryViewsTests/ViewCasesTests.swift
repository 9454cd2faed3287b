import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// What screens do to their queries, and mistakes in views.
@MainActor
struct ViewCasesTests {
  // MARK: The client

  @MainActor
  private final class Clients { var seen: [QueryClient] = [] }

  private struct Reader: View {
    @Environment(\.queryClient) private var client
    let clients: Clients
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      let _ = clients.seen.append(client)
      Screen(query, drawn)
    }
  }

  @Test("V01, V07: the nearest client counts; a provider without one makes one, and keeps it")
  func providers() {
    // The clients that providers make run in real time, which the kit reports.
    withKnownIssue {
      World.run(.further) { world in
        let (switches, drawn, clients) = (Switches(), Drawn(), Clients())
        let never = Query<String>(key: "never").enabled(false)
        struct Root: View {
          let switches: Switches
          let client: QueryClient
          let reader: Reader
          var body: some View {
            let _ = switches.count
            QueryClientProvider { reader }
            QueryClientProvider { reader }
            QueryClientProvider(client: client) { reader }
            reader
          }
        }
        let reader = Reader(clients: clients, query: never, drawn: drawn)
        let mounted = world.mount(
          Root(
            switches: switches,
            client: QueryClient(simulation: world.simulation),
            reader: reader
          )
        )
        let first = clients.seen.map { ObjectIdentifier($0) }
        #expect(Set(first).count == 4 && clients.seen.contains { $0 === world.client })
        switches.count += 1
        world.advance(0)
        #expect(Set(clients.seen.map { ObjectIdentifier($0) }).count == 4)
        mounted.unmount()
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("made without the simulation") }
    }
  }

  @MainActor
  private final class Hands {
    var found: ObservedPagination<Int, Int, String>?
    var save: ObservedMutation<Int, String>?
  }

  private struct Kinds: View {
    let id: Int
    let drawn: Drawn
    let hands: Hands
    @LiveQuery<String> private var item
    @LiveQueries private var batch: ObservedQueries
    @LivePagination(Pagination(input: 0)) private var found: ObservedPagination<Int, Int, String>
    @LiveMutation private var save: ObservedMutation<Int, String>
    var body: some View {
      let _ = (hands.found, hands.save) = (found, save)
      let other = batch[QueryKey<String>("list", id)]?.data ?? "-"
      Group { drawn("\(item.text) \(other) \(found.query.text) \(save.output ?? "-")") }
        .query($item, key: ["item", id]) { [id] in "item \(id)" }
        .queries($batch, [AnyQuery(Query("list", id) { [id] in "list \(id)" })])
        .pagination($found, input: id) { input, page in
          Query("page", input, page) { "page \(input).\(page)" }
        }
        .mutation($save) { [id] input in "saved \(id).\(input)" }
    }
  }

  private struct Swapped: View {
    let switches: Switches
    let clients: [QueryClient]
    let drawn: Drawn
    let hands: Hands
    var body: some View {
      let _ = switches.count
      Kinds(id: switches.id, drawn: drawn, hands: hands)
        .queryClient(clients[switches.isOn ? 0 : 1])
    }
  }

  @Test("G05: what modifiers say follows their view; a hundred drawings subscribe to nothing new")
  func modifiersFollow() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let view = Swapped(switches: switches, clients: [world.client], drawn: drawn, hands: hands)
      let mounted = world.mount(view)
      world.advance(1)
      #expect(drawn.take().last == "item 1 list 1 page 1.1 -")
      let (observers, lookups) = (world.observers, world.client.lookups.total)
      #expect(observers == 3)
      for _ in 0..<100 {
        switches.count += 1
        world.advance(1)
        #expect(world.observers == 3)
      }
      #expect(world.client.lookups.total == lookups)
      hands.save?.run(5)
      world.advance(1)
      switches.id = 2
      world.advance(1)
      #expect(drawn.take().last == "item 2 list 2 page 2.1 saved 1.5")
      #expect(world.observers == 3)
      (hands.found, hands.save) = (nil, nil)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("V01: every kind of wrapper goes over to a client that is swapped in the environment")
  func clientIsSwapped() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let other = QueryClient(simulation: world.simulation)
      other.setData("other", for: QueryKey<String>("item", 1))
      let mounted = world.mount(
        Swapped(
          switches: switches,
          clients: [world.client, other],
          drawn: drawn,
          hands: hands
        )
      )
      world.advance(1)
      hands.save?.run(5)
      world.advance(1)
      #expect(drawn.take().last == "item 1 list 1 page 1.1 saved 1.5")
      switches.isOn = false
      world.advance(1)
      // A run belongs to its client, and is not shown by another one.
      #expect(drawn.take().last == "item 1 list 1 page 1.1 -")
      #expect(world.observers == 0)
      #expect(other.diagnostics(.all).map(\.observerCount).reduce(0, +) == 3)
      (hands.found, hands.save) = (nil, nil)
      mounted.unmount()
      world.advance(0)
      #expect(other.diagnostics(.all).map(\.observerCount).reduce(0, +) == 0)
    }
  }

  // MARK: When it fetches

  private struct Stack: View {
    @Bindable var switches: Switches
    let drawn: Drawn
    let content: () -> AnyView
    var body: some View {
      NavigationStack(path: $switches.path) {
        content().navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
      }
    }
  }

  @Test("V11, O04, O07: an appearance refetches as the query says, also by its state")
  func appearing() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let names = ["never", "ifStale", "always", "when", "when not", "told", "dynamic"]
      let fetches = names.map { _ in fetch("1", "2") }
      let all = zip(names, fetches).map { query($0, $1).staleTime(.seconds(1)) }
      let queries = [
        all[0].refetchOnAppear(.never), all[1].refetchOnAppear(.ifStale),
        all[2].staleTime(.infinite).refetchOnAppear(.always),
        all[3].staleTime(.infinite).refetchOnAppear(.when { true }),
        all[4].refetchOnAppear(.when { false }),
        all[5].staleTime(.infinite).refetchOnAppear(.when { $0.dataUpdateCount == 1 }),
        all[6].refetchOnAppear(.dynamic { $0.errorUpdateCount == 0 ? .ifStale : .never }),
      ]
      let mounted = world.mount(
        Stack(switches: switches, drawn: drawn) {
          AnyView(
            ForEach(queries.indices, id: \.self) { index in
              QueryView(queries[index]) { drawn($0.text) }
            }
          )
        }
      )
      world.advance(30)
      // Without data, all do.
      #expect(fetches.map(\.callCount) == [1, 1, 1, 1, 1, 1, 1])
      switches.path = [1]
      world.advance(2000)
      switches.path = []
      world.advance(30)
      #expect(fetches.map(\.callCount) == [1, 2, 2, 2, 1, 2, 2])
      mounted.unmount()
    }
  }

  @Test("O05, O06, O07, T11: a return of app or network refetches what is shown, as the query says")
  func returning() {
    World.run(.further) { world in
      let (online, active) = (ManualSignal(true), ManualSignal(true))
      let client = QueryClient(simulation: world.simulation) {
        $0.connectivity = Connectivity { online }
        $0.activity = AppActivity { active }
      }
      let (switches, drawn) = (Switches(), Drawn())
      let fetches = (0..<4).map { _ in fetch("1", "2", "3", "4") }
      let all = fetches.enumerated().map { query("\($0.offset)", $0.element) }
      let queries = [
        all[0],
        all[1].staleTime(.infinite)
          .refetchOnActive(.when { $0.observerCount == 1 }).refetchOnReconnect(.never),
        all[2].refetchOnActive(.never).refetchOnReconnect(.dynamic { _ in .always }),
        all[3],
      ]
      let mounted = world.mount(
        alone: Group {
          ForEach([0, 1, 2], id: \.self) { Screen(queries[$0], drawn) }
          Stack(switches: switches, drawn: drawn) {
            AnyView(QueryView(queries[3]) { drawn($0.text) })
          }
        }.queryClient(client)
      )
      world.advance(30)
      switches.path = [1]
      world.advance(2000)
      #expect(fetches.map(\.callCount) == [1, 1, 1, 1])
      for (signal, expected) in [(active, [2, 2, 1, 1]), (online, [3, 2, 2, 1])] {
        signal.send(false)
        world.advance(1)
        signal.send(true)
        world.advance(30)
        #expect(fetches.map(\.callCount) == expected)
      }
      // What is hidden hears of it when it is shown again.
      switches.path = []
      world.advance(30)
      #expect(fetches.map(\.callCount) == [3, 2, 2, 2])
      mounted.unmount()
    }
  }

  private struct Attached: View {
    let query: Query<String>
    let drawn: Drawn
    @LiveQuery<String> private var item
    init(_ query: Query<String>, _ drawn: Drawn) {
      self.drawn = drawn
      self.query = query
      _item = LiveQuery(query)
    }
    var body: some View { Group { drawn(item.text) }.attach($item) }
  }

  @Test("V10: a wrapper that is attached to a view observes while that is shown")
  func attached() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let fetch = fetch("A", "B")
      let mounted = world.mount(
        Stack(switches: switches, drawn: drawn) {
          AnyView(Attached(query("a", fetch), drawn))
        }
      )
      world.advance(10)
      #expect(world.observers == 1 && drawn.lines == ["-"])
      switches.path = [1]
      world.advance(500)
      // The request outlives the disappearance, and its data is there at the return.
      #expect(world.observers == 0 && fetch.calls.map(\.outcome) == [.value])
      switches.path = []
      world.advance(30)
      #expect(world.observers == 1)
      #expect(drawn.lines.last == "B" && Set(drawn.lines) == ["-", "A", "B"])
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Popped: View {
    @Bindable var switches: Switches
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      NavigationStack(path: $switches.path) {
        SwiftUI.Text(verbatim: "root").navigationDestination(for: Int.self) { _ in
          Screen(query, drawn)
        }
      }
    }
  }

  @Test("a wrapper of a view that is popped during a fetch ends with its state, and then the fetch")
  func poppedWrapper() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let slow = ScriptedFetch<String>(.value("A", after: .seconds(5)))
      let mounted = world.mount(
        Popped(switches: switches, query: query("a", slow), drawn: drawn)
      )
      switches.path = [1]
      world.advance(10)
      #expect(slow.runningCount == 1 && world.observers == 1)
      switches.path = []
      world.advance(10)
      // Whenever the state is freed.
      mounted.unmount()
      world.advance(980)
      #expect(world.observers == 0 && slow.runningCount == 1)
      world.advance(40)
      #expect(slow.calls.map(\.outcome) == [.cancelled] && Set(drawn.lines) == ["-"])
    }
  }

  // MARK: Mistakes

  private struct Typed: View {
    let switches: Switches
    let drawn: Drawn
    var body: some View {
      if switches.isOn {
        QueryView(Query("same") { "text" }) { drawn("text \($0.text)") }
      } else {
        QueryView(Query("same") { 7 }) { drawn("number \($0.text)") }
      }
    }
  }

  @Test("a key of another type is another query: neither shows the other's data")
  func keysOfOtherTypes() {
    World.run { world in
      let (switches, drawn) = (Switches(), Drawn())
      let mounted = world.mount(Typed(switches: switches, drawn: drawn))
      world.advance(1)
      switches.isOn = false
      world.advance(1)
      #expect(drawn.lines == ["text -", "text text", "number -", "number 7"])
      mounted.unmount()
    }
  }

  private struct Outside: View {
    @LiveQueries([AnyQuery(Query("a") { 1 })]) var batch
    @LivePagination(Pagination(input: 0)) var found: ObservedPagination<Int, Int, Int>
    @LiveMutation var save: ObservedMutation<Int, Int>
    var body: some View { EmptyView() }
  }

  @Test("wrappers of all kinds that are read outside of a view do nothing, and say so once each")
  func outsideOfAView() {
    World.run { world in
      Reports.collected { reports in
        let view = Outside()
        for _ in 0..<2 {
          #expect(view.batch.results == nil && view.found.query.isPending)
          view.save.run(1)
        }
        world.advance(100)
        #expect(reports.all.count == 3 && world.observers == 0)
        // It has no client, and a button that does nothing must show why.
        view.save.run(1)
        let save = view.save
        save.run(2)
        #expect(save.error as? ObservationError == .noClient)
      }
    }
  }

  private struct Silent: View {
    let drawn: Drawn
    let hands: Hands
    @LiveQuery<String> private var item
    @LiveMutation private var save: ObservedMutation<Int, String>
    var body: some View {
      let _ = hands.save = save
      drawn("\(item.text) \(item.isFetching) \(save.status)")
    }
  }

  @Test("wrappers for which no modifier speaks observe nothing, and run nothing")
  func nothingSaid() {
    World.run(.further) { world in
      let (drawn, hands) = (Drawn(), Hands())
      let mounted = world.mount(Silent(drawn: drawn, hands: hands))
      hands.save?.run(1)
      world.advance(10)
      #expect(drawn.lines == ["- false idle", "- false error"])
      #expect(world.client.diagnostics(.all).isEmpty)
      hands.save = nil
      mounted.unmount()
    }
  }
}
