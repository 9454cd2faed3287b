import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// Wrappers that name something, and then nothing any more.
@MainActor
struct NamingTests {
  @MainActor
  private final class Hands {
    var found: ObservedPagination<Int, Int, String>?
    var save: ObservedMutation<Int, String>?
  }

  private struct All: View {
    @LiveQuery<String> private var item
    @LiveQueries private var batch: ObservedQueries
    @LivePagination<Int, Int, String> private var found: ObservedPagination<Int, Int, String>
    @LiveMutation<Int, String> private var save: ObservedMutation<Int, String>
    let drawn: Drawn
    let hands: Hands

    init(_ id: Int?, _ drawn: Drawn, _ hands: Hands) {
      _item = LiveQuery(id.map { All.query("item", $0) })
      _batch = LiveQueries(id.map { [AnyQuery(All.query("list", $0))] })
      _found = LivePagination(Pagination(input: 0), query: id.map(All.pages))
      _save = LiveMutation(id.map(All.mutation))
      self.drawn = drawn
      self.hands = hands
    }

    private static func query(_ kind: String, _ id: Int) -> Query<String> {
      Query(kind, id) { "\(kind) \(id)" }
    }

    private static func pages(_ id: Int) -> @Sendable (Int, Int) -> Query<String> {
      { _, page in Query("page", id, page) { "page \(id).\(page)" } }
    }

    private static func mutation(_ id: Int) -> Mutation<Int, String> {
      Mutation("save") { (input: Int) in "saved \(id).\(input)" }
    }

    var body: some View {
      let _ = (hands.found, hands.save) = (found, save)
      let lists = batch.results?.results(of: String.self).map { $0.data ?? "-" } ?? []
      drawn(
        "\(item.text) \(lists) \(found.query.text) \(save.output ?? "-") \(item.isFetching)"
      )
    }
  }

  private struct Selection: View {
    let switches: Switches
    let drawn: Drawn
    let hands: Hands
    var body: some View { All(switches.isOn ? switches.id : nil, drawn, hands) }
  }

  @Test("a wrapper that names nothing any more shows nothing, observes nothing and runs nothing")
  func nothing() {
    World.run(.further) { world in
      let (switches, drawn, hands) = (Switches(), Drawn(), Hands())
      let mounted = world.mount(Selection(switches: switches, drawn: drawn, hands: hands))
      world.advance(1)
      hands.save?.run(5)
      world.advance(1)
      #expect(drawn.take().last == #"item 1 ["list 1"] page 1.1 saved 1.5 false"#)
      #expect(world.observers == 3)
      switches.isOn = false
      world.advance(1)
      #expect(drawn.take().last == "- [] - - false" && world.observers == 0)
      hands.save?.run(6)
      hands.found?.moveToNextPage()
      world.client.setData("written", for: QueryKey("item", 1))
      world.advance(5000)
      #expect(world.observers == 0 && hands.save?.error as? ObservationError == .noClient)
      #expect(drawn.take().last?.hasPrefix("- [] - -") != false)
      switches.isOn = true
      world.advance(1)
      #expect(drawn.take().last?.hasPrefix(#"item 1 ["list 1"] page 1.2"#) == true)
      #expect(world.observers == 3)
      hands.save?.run(7)
      world.advance(1)
      #expect(hands.save?.output == "saved 1.7")
      (hands.found, hands.save) = (nil, nil)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Chosen: View {
    @LiveQuery<String> private var item
    let drawn: Drawn
    init(_ query: Query<String>?, _ drawn: Drawn) {
      _item = LiveQuery(query, keepsPreviousData: true)
      self.drawn = drawn
    }
    var body: some View { drawn(item.text) }
  }

  private struct Choice: View {
    let switches: Switches
    let queries: [Query<String>]
    let drawn: Drawn
    var body: some View {
      Chosen(queries.indices.contains(switches.id) ? queries[switches.id] : nil, drawn)
    }
  }

  @Test("what was shown before nothing was named is not kept for the next query")
  func previousData() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      switches.id = 0
      let queries = [query("a", fetch("A")), query("b", fetch("B"))]
      let view = Choice(switches: switches, queries: queries, drawn: drawn)
      let mounted = world.mount(view.queryObservation(.onAppear))
      world.advance(30)
      #expect(drawn.take().last == "A")
      switches.id = 7
      world.advance(10)
      #expect(drawn.take().last == "-" && world.observers == 0)
      switches.id = 1
      world.advance(10)
      #expect(Set(drawn.take()) == ["-"])
      world.advance(30)
      #expect(drawn.take().last == "B")
      mounted.unmount()
    }
  }

  // MARK: Periods

  private enum Form: CaseIterable { case plain, view, modifier, attached }

  private struct Shown: View {
    let form: Form
    let query: Query<String>
    let drawn: Drawn
    @LiveQuery<String> private var item
    @LiveQuery<String> private var attached

    init(_ form: Form, _ query: Query<String>, _ drawn: Drawn) {
      (self.form, self.query, self.drawn) = (form, query, drawn)
      _attached = LiveQuery(form == .attached ? query : nil)
    }

    var body: some View {
      switch form {
      case .plain: Screen(query, drawn)
      case .view: QueryView(query) { drawn($0.text) }
      case .modifier: drawn(item.text).query($item, query)
      case .attached: drawn(attached.text).attach($attached)
      }
    }
  }

  private struct Hiding: View {
    @Bindable var switches: Switches
    let form: Form
    let query: Query<String>
    let drawn: Drawn
    let period: ObservationPeriod?
    var body: some View {
      // Made here: whoever holds a view may hold its state.
      let shown = Shown(form, query, drawn)
      return NavigationStack(path: $switches.path) {
        Group {
          if let period { shown.queryObservation(period) } else { shown }
        }
        .navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
      }
    }
  }

  @Test("what surroundings say of hidden views holds for every form of observation")
  func periods() {
    World.run(.further) { world in
      for form in Form.allCases {
        for (period, hidden) in [
          (ObservationPeriod.always, 1), (.onRender, 0), (.onAppear, 0),
          (nil, form == .plain ? 1 : 0),
        ] {
          let (switches, drawn) = (Switches(), Drawn())
          let name = "\(form) \(String(describing: period))"
          let asked = query(name, fetch("A", "B")).staleTime(.seconds(60))
          let mounted = world.mount(
            Hiding(switches: switches, form: form, query: asked, drawn: drawn, period: period)
          )
          world.advance(30)
          #expect(drawn.lines.last == "A" && world.observers == 1, "\(name)")
          // Longer than a change is a doubt.
          world.advance(2000)
          switches.path = [1]
          world.advance(0)
          #expect(world.observers == hidden, "\(name)")
          switches.path = []
          world.advance(0)
          #expect(world.observers == 1, "\(name)")
          mounted.unmount()
          world.advance(0)
          #expect(world.observers == 0, "\(name)")
        }
      }
    }
  }

  @Test(
    "G6: a plain wrapper is no new subscription at an appearance; `queryObservation` makes it one"
  )
  func plainWrappersAppear() {
    World.run(.further) { world in
      for (period, count) in [(ObservationPeriod?.none, 1), (.onRender, 2), (.onAppear, 2)] {
        let (switches, drawn, fetch) = (Switches(), Drawn(), fetch("A", "B"))
        let asked = query("\(String(describing: period))", fetch)
          .staleTime(.infinite).refetchOnAppear(.always)
        let mounted = world.mount(
          Hiding(switches: switches, form: .plain, query: asked, drawn: drawn, period: period)
        )
        world.advance(30)
        switches.path = [1]
        world.advance(2000)
        switches.path = []
        world.advance(30)
        #expect(fetch.callCount == count && drawn.lines.last == (count == 1 ? "A" : "B"))
        mounted.unmount()
        world.advance(0)
      }
    }
  }

  // MARK: Defaults and stores

  private struct Defaulted: View {
    @LiveDefaultedQuery<[String]> private var items: ObservedDefaultedQuery<[String]>
    let query: DefaultedQuery<[String]>
    let drawn: Drawn
    init(_ query: DefaultedQuery<[String]>, _ drawn: Drawn) {
      _items = LiveDefaultedQuery(query)
      (self.query, self.drawn) = (query, drawn)
    }
    var body: some View {
      drawn("\(items.data) \(items.isDefault) \(items.isFetching) \(items.isRestoring)")
        .refreshable { @MainActor in await items.refetch() }
      QueryView(query) { drawn("\($0.data.count)") }
    }
  }

  @Test("K19, T89: data with a default is never missing; a view sees that a store is being read")
  func defaults() {
    World.run(.further) { world in
      let store = MemoryStore()
      let before = QueryClient(simulation: world.simulation)
      let saved = Query<[String]>(key: "items").persisted(in: store, maxAge: .hours(1))
      before.setData(["kept"], for: saved)
      world.advance(10_000)
      let fetch = ScriptedFetch<[String]>(.value(["new", "newer"], after: .milliseconds(30)))
      let shown = Query(key: "items", fetch: fetch).persisted(in: store, maxAge: .hours(1))
      let drawn = Drawn()
      let mounted = world.mount(Defaulted(shown.staleTime(.zero).defaulting(to: ["-"]), drawn))
      world.advance(100)
      let lines = drawn.lines
      #expect(lines.first == #"["-"] true false true"#, "\(lines)")
      #expect(lines.contains(#"["kept"] false true false"#), "\(lines)")
      #expect(lines.contains("2") && lines.contains("1"), "\(lines)")
      #expect(lines.contains(#"["new", "newer"] false false false"#), "\(lines)")
      mounted.unmount()
    }
  }

  private struct DefaultAlone: View {
    let query: Query<[String]>
    let drawn: Drawn
    @LiveDefaultedQuery(default: ["-"]) private var items: ObservedDefaultedQuery<[String]>
    var body: some View {
      Group { drawn("\(items.data) \(items.isDefault)") }.query($items, query)
    }
  }

  @Test("a default that is named alone shows until the query of a modifier has data")
  func defaultAlone() {
    World.run(.further) { world in
      Reports.collected { reports in
        let fetch = ScriptedFetch<[String]>(.value(["A"], after: .milliseconds(30)))
        let drawn = Drawn()
        let shown = Query(key: "items", fetch: fetch)
        let mounted = world.mount(DefaultAlone(query: shown, drawn: drawn))
        world.advance(29)
        #expect(Set(drawn.take()) == [#"["-"] true"#] && world.observers == 1)
        world.advance(1)
        #expect(drawn.take().last == #"["A"] false"#)
        world.advance(100)
        #expect(fetch.callCount == 1 && reports.all == [])
        mounted.unmount()
        world.advance(0)
        #expect(world.observers == 0)
      }
    }
  }
}
