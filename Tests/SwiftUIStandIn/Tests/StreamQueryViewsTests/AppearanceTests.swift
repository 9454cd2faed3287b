import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// Content that branches, or that comes and goes with what is observed.
@MainActor
struct AppearanceTests {
  // MARK: What shows a query decides by its data

  private struct Either: View {
    let query: Query<String>
    var body: some View {
      QueryView(query) { item in
        if let data = item.data { Text(data) } else { ProgressView() }
      }
    }
  }

  private struct Cased: View {
    @LiveQuery<String> private var item
    init(_ query: Query<String>) { _item = LiveQuery(query) }
    var body: some View {
      Group {
        switch item.phase {
        case .pending: ProgressView()
        case .success(let data): Text(data)
        case .failure(let error, _): Text("\(error)")
        }
      }
      .attach($item)
    }
  }

  private struct BothAsk: View {
    let query: Query<String>
    @LiveQuery<String> private var item
    var body: some View {
      if let data = item.data {
        Text(data).query($item, query)
      } else {
        ProgressView().query($item, query)
      }
    }
  }

  private func goesOn(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ view: @MainActor (Query<String>) -> some View
  ) {
    World.run(.further) { world in
      let fetch = fetch("A", "B")
      let shown = query("a", fetch)
      let display = world.show(view(shown))
      #expect(display.texts == ["…"], sourceLocation: sourceLocation)
      world.advance(30)
      #expect(display.texts == ["A"], sourceLocation: sourceLocation)
      world.advance(3000)
      #expect(fetch.callCount == 1 && world.observers == 1, sourceLocation: sourceLocation)
      world.client.setData("written", for: shown)
      world.advance(0)
      #expect(display.texts == ["written"], sourceLocation: sourceLocation)
      Task { await world.client.reset(.query(shown)) }
      world.advance(10)
      #expect(display.texts == ["…"], sourceLocation: sourceLocation)
      world.advance(20)
      #expect(display.texts == ["B"], sourceLocation: sourceLocation)
      #expect(fetch.callCount == 2 && world.observers == 1, sourceLocation: sourceLocation)
      display.unmount()
      world.advance(0)
      #expect(world.observers == 0, sourceLocation: sourceLocation)
    }
  }

  @Test("a view of a query that branches by its data observes on, and fetches once")
  func queryView() { goesOn { Either(query: $0) } }

  @Test("V10: an attached view that branches by the state observes on, and fetches once")
  func attached() { goesOn { Cased($0) } }

  @Test("V06: a query that is said in both branches of an `if` is fetched once, stale or not")
  func bothBranches() { goesOn { BothAsk(query: $0) } }

  @Test("G05: one of `queryObservation` around a body that branches is not ended by that")
  func observation() {
    for period in [ObservationPeriod.always, .onRender, .onAppear] {
      goesOn { Cased($0).queryObservation(period) }
      goesOn { Plain($0).queryObservation(period) }
    }
  }

  private struct Plain: View {
    @LiveQuery<String> private var item
    init(_ query: Query<String>) { _item = LiveQuery(query) }
    var body: some View {
      if let data = item.data { Text(data) } else { ProgressView() }
    }
  }

  // MARK: Content that may be empty

  private struct OnlyData: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      QueryView(queries[switches.id]) { item in
        if let data = item.data { Text(data) }
      }
    }
  }

  private struct OnlyDataOfOne: View {
    @LiveQuery<String> private var item
    init(_ query: Query<String>) { _item = LiveQuery(query) }
    var body: some View {
      if let data = item.data { Text(data) }
    }
  }

  private struct Periodic: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      OnlyDataOfOne(queries[switches.id]).queryObservation(.onRender)
    }
  }

  private func comesBack(
    isAnimated: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ view: @MainActor (Switches, [Query<String>]) -> some View
  ) {
    World.run(.further) { world in
      let switches = Switches()
      switches.id = 0
      let fetches = [fetch("A", "A2", "A3"), fetch("B")]
      let queries = fetches.enumerated().map { query("\($0.offset)", $0.element) }
      let display = world.show(view(switches, queries))
      world.advance(30)
      #expect(display.texts == ["A"], sourceLocation: sourceLocation)
      // Emptied.
      Task { await world.client.reset(.query(queries[0])) }
      world.advance(10)
      #expect(display.texts == [] && world.observers == 1, sourceLocation: sourceLocation)
      world.advance(20)
      #expect(display.texts == ["A2"], sourceLocation: sourceLocation)
      // Emptied, and nobody fetches.
      world.client.clear()
      // What takes time to disappear is taken for hidden later.
      world.advance(isAnimated && world.behaviour.removalsTakeTime ? 900 : 3000)
      #expect(display.texts == [] && world.observers == 1, sourceLocation: sourceLocation)
      world.client.setData("written", for: queries[0])
      world.advance(0)
      #expect(display.texts == ["written"], sourceLocation: sourceLocation)
      // Another key.
      switches.id = 1
      world.advance(10)
      #expect(display.texts == [] && world.observers == 1, sourceLocation: sourceLocation)
      world.advance(20)
      #expect(display.texts == ["B"], sourceLocation: sourceLocation)
      display.unmount()
      world.advance(0)
      #expect(world.observers == 0, sourceLocation: sourceLocation)
    }
  }

  @Test("a view of a query that shows nothing without data observes on, and shows what comes")
  func emptied() { comesBack { OnlyData(switches: $0, queries: $1) } }

  @Test("a body that shows nothing without data is not hidden for what is around it")
  func emptiedBody() { comesBack { Periodic(switches: $0, queries: $1) } }

  @Test("so it is with changes that are animated")
  func emptiedWithAnimation() {
    comesBack(isAnimated: true) {
      OnlyData(switches: $0, queries: $1).queryAnimation(.default)
    }
  }

  // MARK: Content that another view makes empty

  /// What it shows, only it reads.
  private struct Row: View {
    let item: ObservedQuery<String>
    var body: some View {
      if let data = item.data { Text(data) }
    }
  }

  private struct OnlyRow: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View { QueryView(queries[switches.id]) { Row(item: $0) } }
  }

  private struct RowOfOne: View {
    @LiveQuery<String> private var item
    init(_ query: Query<String>) { _item = LiveQuery(query) }
    var body: some View { Row(item: item) }
  }

  private struct PeriodicRow: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      Group { RowOfOne(queries[switches.id]) }.queryObservation(.onRender)
    }
  }

  private struct ListRow: View {
    let batch: ObservedQueries
    let query: Query<String>
    var body: some View {
      if let data = batch[query]?.data { Text(data) }
    }
  }

  private struct OnlyListRow: View {
    let switches: Switches
    let queries: [Query<String>]
    @LiveQueries private var batch
    var body: some View {
      let query = queries[switches.id]
      ListRow(batch: batch, query: query).queries($batch, [AnyQuery(query)])
    }
  }

  private struct PageRow: View {
    let found: ObservedPagination<Int, Int, String>
    var body: some View {
      if let data = found.query.data { Text(data) }
    }
  }

  private struct OnlyPageRow: View {
    let switches: Switches
    let queries: [Query<String>]
    @LivePagination(Pagination(input: 0), keepsPreviousData: false) private var found:
      ObservedPagination<Int, Int, String>
    var body: some View {
      PageRow(found: found)
        .pagination($found, input: switches.id) { [queries] input, _ in queries[input] }
    }
  }

  @Test("a query observes on whose data only a row in its view reads, which is empty without")
  func emptiedRow() { comesBack { OnlyRow(switches: $0, queries: $1) } }

  @Test("so it is around a view whose row is empty")
  func emptiedRowOfABody() { comesBack { PeriodicRow(switches: $0, queries: $1) } }

  @Test("so it is with a row of a list of queries")
  func emptiedRowOfAList() { comesBack { OnlyListRow(switches: $0, queries: $1) } }

  @Test("so it is with a row of a position in pages")
  func emptiedRowOfAPage() { comesBack { OnlyPageRow(switches: $0, queries: $1) } }

  private struct Fetching: View {
    @LiveValue(.fetchingCount()) private var fetching
    var body: some View {
      if fetching > 0 { Text("\(fetching)") }
    }
  }

  private struct AttachedFetching: View {
    @LiveValue(.fetchingCount()) private var fetching
    var body: some View {
      Group { if fetching > 0 { Text("\(fetching)") } }.attach($fetching)
    }
  }

  private func followsOn(_ view: @MainActor () -> some View) {
    World.run(.further) { world in
      let observed = ObservedQuery(query("a", fetch("A", "B", "C")), client: world.client)
      let display = world.show(view())
      #expect(display.texts == ["1"])
      for _ in 0..<2 {
        world.advance(3000)
        #expect(display.texts == [])
        observed.refetch()
        world.advance(10)
        #expect(display.texts == ["1"])
      }
      display.unmount()
    }
  }

  @Test("a value of the client by which a view is empty is followed on")
  func emptiedByAValue() {
    followsOn { AttachedFetching() }
    for period in [ObservationPeriod.always, .onRender, .onAppear] {
      followsOn { Fetching().queryObservation(period) }
    }
  }

  // MARK: Content that empties with an animation of the app

  private struct Animating: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      QueryView(queries[switches.id]) { item in
        Group {
          if let data = item.data { Text(data) }
        }
        .animation(.default, value: item.data)
      }
    }
  }

  private struct AnimatingRow: View {
    let switches: Switches
    let queries: [Query<String>]
    var body: some View {
      QueryView(queries[switches.id]) { Row(item: $0) }.animation(.default, value: switches.count)
    }
  }

  private func fills(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ view: @MainActor (Switches, [Query<String>]) -> some View
  ) {
    World.run(.further) { world in
      let switches = Switches()
      switches.id = 0
      let fetches = [fetch("A", "A2"), fetch("B")]
      let queries = fetches.enumerated().map { query("\($0.offset)", $0.element) }
      let display = world.show(view(switches, queries))
      world.advance(30)
      world.advance(3000)
      #expect(display.texts == ["A"], sourceLocation: sourceLocation)
      Task { await world.client.reset(.query(queries[0])) }
      world.advance(10)
      // The removed text has disappeared by now.
      #expect(display.texts == [] && world.observers == 1, sourceLocation: sourceLocation)
      world.advance(20)
      #expect(display.texts == ["A2"] && world.observers == 1, sourceLocation: sourceLocation)
      world.advance(3000)
      withAnimation {
        switches.id = 1
        switches.count += 1
      }
      world.advance(10)
      #expect(display.texts == [] && world.observers == 1, sourceLocation: sourceLocation)
      world.advance(20)
      #expect(display.texts == ["B"] && world.observers == 1, sourceLocation: sourceLocation)
      #expect(fetches.map(\.callCount) == [2, 1], sourceLocation: sourceLocation)
      display.unmount()
      world.advance(0)
      #expect(world.observers == 0, sourceLocation: sourceLocation)
    }
  }

  @Test("what an app's own animation removes is no end of the view, whose next data shows")
  func emptiedWithTheAppsAnimation() {
    fills { Animating(switches: $0, queries: $1) }
    fills { AnimatingRow(switches: $0, queries: $1) }
  }

  @Test("what stays empty after an animation shows what is cached when it is drawn again")
  func emptiedForLong() {
    World.run(.further) { world in
      let switches = Switches()
      let shown = query("a", fetch("A", "B", "C"))
      let display = world.show(Counted(switches: switches, query: shown))
      world.advance(30)
      world.advance(3000)
      #expect(display.texts == ["A"])
      world.client.clear()
      world.advance(0)
      world.advance(3000)
      #expect(display.texts == [])
      world.client.setData("written", for: shown)
      switches.count += 1
      world.advance(0)
      #expect(display.texts == ["written"] && world.observers == 1)
      world.client.setData("again", for: shown)
      world.advance(3000)
      #expect(world.observers == 1)
      display.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Counted: View {
    let switches: Switches
    let query: Query<String>
    var body: some View {
      let _ = switches.count
      QueryView(query) { item in
        if let data = item.data { Text(data) }
      }
      .queryAnimation(.default)
    }
  }

  @Test("a view that shows only whether a query is fetching shows it each time")
  func onlyWhileFetching() {
    World.run(.further) { world in
      let fetch = fetch("A", "B", "C")
      let shown = query("a", fetch)
      let display = world.show(
        QueryView(shown) { item in
          if item.isFetching { ProgressView() }
        }
      )
      for count in 1...3 {
        #expect(display.texts == ["…"])
        world.advance(100)
        #expect(display.texts == [] && fetch.callCount == count)
        Task { await world.client.refetch(.query(shown)) }
        world.advance(1)
      }
      display.unmount()
    }
  }

  // MARK: What is hidden

  private struct Stack<Root: View>: View {
    @Bindable var switches: Switches
    let root: Root
    var body: some View {
      NavigationStack(path: $switches.path) {
        root.navigationDestination(for: Int.self) { _ in Text("other") }
      }
    }
  }

  @Test("content that branches and is hidden is not observed, and is fetched when it is back")
  func hidden() {
    World.run(.further) { world in
      let (switches, fetch) = (Switches(), fetch("A", "B", "C"))
      let shown = query("a", fetch)
      let display = world.show(Stack(switches: switches, root: Either(query: shown)))
      world.advance(30)
      for (count, text) in ["B", "C"].enumerated() {
        switches.path = [1]
        world.advance(2000)
        #expect(display.texts == ["other"] && world.observers == 0)
        world.client.setData("written", for: shown)
        world.advance(0)
        switches.path = []
        world.advance(0)
        #expect(display.texts == ["written"] && world.observers == 1)
        world.advance(30)
        #expect(display.texts == [text] && fetch.callCount == count + 2)
      }
      display.unmount()
    }
  }

  @Test("what is hidden long after an animated change is not observed")
  func hiddenAfterAnimations() {
    World.run(.further) { world in
      let (switches, shown) = (Switches(), query("a", fetch("A")))
      let view = QueryView(shown) { item in Text(item.data ?? "-") }.queryAnimation(.default)
      let display = world.show(Stack(switches: switches, root: view))
      world.advance(30)
      world.client.setData("written", for: shown)
      world.advance(10)
      world.client.setData("again", for: shown)
      world.advance(3000)
      #expect(display.texts == ["again"] && world.observers == 1)
      switches.path = [1]
      world.advance(2000)
      #expect(display.texts == ["other"] && world.observers == 0)
      display.unmount()
    }
  }

  private struct Redrawn: View {
    let switches: Switches
    let query: Query<String>
    let isAnimated: Bool
    var body: some View {
      let _ = switches.count
      // Another query each time, so that it is drawn where equal views are not.
      QueryView(query.refetchInterval(.seconds(5))) { item in Text(item.data ?? "-") }
        .queryAnimation(isAnimated ? .default : nil)
    }
  }

  @Test("what is hidden right after a change is not observed when two seconds have passed")
  func hiddenAfterAChange() {
    for isAnimated in [false, true] {
      World.run { world in
        let (switches, shown) = (Switches(), query("a", fetch("A", "B", "C")))
        let view = Redrawn(switches: switches, query: shown, isAnimated: isAnimated)
        let display = world.show(Stack(switches: switches, root: view))
        world.advance(30)
        world.client.setData("written", for: shown)
        world.advance(10)
        switches.path = [1]
        world.advance(10)
        #expect(display.texts == ["other"])
        world.advance(1990)
        #expect(world.observers == 0)
        // Drawn by a system that draws what is hidden, and so observed for a while.
        switches.count += 1
        world.advance(30)
        #expect(world.observers == 1)
        world.advance(2970)
        #expect(world.observers == 0)
        // Not once more, or what is drawn often would go on asking its server.
        switches.count += 1
        world.advance(30)
        #expect(world.observers == 0)
        switches.path = []
        world.advance(0)
        #expect(display.texts == ["B"] && world.observers == 1)
        world.advance(30)
        #expect(display.texts == ["C"] && world.observers == 1)
        display.unmount()
        // Its state is held by the view here: what is left of it waits as well.
        world.advance(2000)
        #expect(world.observers == 0)
      }
    }
  }

  @Test("a view whose own state empties it observes when it shows something again")
  func emptiedByState() {
    World.run(.further) { world in
      let (switches, fetch) = (Switches(), fetch("A", "B"))
      let shown = query("a", fetch)
      let display = world.show(ByState(shown, switches))
      world.advance(30)
      #expect(display.texts == ["A"])
      switches.isOn = false
      world.advance(2000)
      #expect(display.texts == [])
      switches.isOn = true
      world.advance(30)
      // Whether it has observed meanwhile is the system's affair.
      #expect(["A", "B"].contains(display.texts.first ?? "") && world.observers == 1)
      world.client.setData("written", for: shown)
      world.advance(0)
      #expect(display.texts == ["written"])
      display.unmount()
    }
  }

  private struct ByState: View {
    let switches: Switches
    @LiveQuery<String> private var item
    init(_ query: Query<String>, _ switches: Switches) {
      _item = LiveQuery(query)
      self.switches = switches
    }
    var body: some View {
      Group {
        if switches.isOn { Text(item.data ?? "-") }
      }
      .attach($item)
    }
  }

  // MARK: Scenes

  private struct Main: View {
    let switches: Switches
    var body: some View {
      if switches.isOn { Text("home") } else { Text("log in") }
    }
  }

  private struct SceneRoot: View {
    @Bindable var switches: Switches
    let query: Query<String>
    let scenes: SceneActivity
    var body: some View {
      Stack(
        switches: switches,
        root: QueryView(query) { Text($0.data ?? "-") }.queryAnimation(.default)
          .sceneActivity(scenes)
      )
    }
  }

  @Test("a scene that is left right after an animated change has left")
  func scenesAfterAnimations() {
    World.run(.further) { world in
      let (switches, scenes) = (Switches(), SceneActivity())
      let client = QueryClient(simulation: world.simulation) { $0.activity = scenes.activity }
      let (fetch, other) = (fetch("A", "B"), fetch("1", "2", "3"))
      let observer = client.observer(of: query("b", fetch).refetchOnActive(.always))
      let shown = query("a", other)
      let display = world.show(
        SceneRoot(switches: switches, query: shown, scenes: scenes).queryClient(client)
      )
      world.advance(30)
      client.setData("written", for: shown)
      world.advance(10)
      switches.path = [1]
      world.advance(10)
      let scene = Switches()
      scenes.changed(scene, isForeground: true)
      world.advance(30)
      // So it had left.
      #expect(observer.result.data == "B" && fetch.callCount == 2)
      display.unmount()
    }
  }

  @Test("the scene of a view that branches stays in the foreground")
  func scenes() {
    World.run(.further) { world in
      let (switches, scenes) = (Switches(), SceneActivity())
      let client = QueryClient(simulation: world.simulation) { $0.activity = scenes.activity }
      let fetch = fetch("A", "B", "C")
      let observer = client.observer(of: query("a", fetch).refetchOnActive(.always))
      let display = world.show(Main(switches: switches).sceneActivity(scenes))
      world.advance(30)
      for _ in 0..<4 {
        switches.isOn.toggle()
        world.advance(30)
      }
      #expect(observer.result.data == "A" && fetch.callCount == 1)
      display.unmount()
      world.advance(0)
      let scene = Switches()
      scenes.changed(scene, isForeground: true)
      world.advance(30)
      // So it had left.
      #expect(observer.result.data == "B" && fetch.callCount == 2)
    }
  }
}
