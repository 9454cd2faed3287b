import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct VisibilityTests {
  /// Shows a query while it is shown itself.
  private struct Detail: View {
    let query: Query<String>
    let drawn: Drawn
    var body: some View { QueryView(query) { drawn($0.text) } }
  }

  private struct Stack: View {
    @Bindable var switches: Switches
    let root: Query<String>
    let detail: Query<String>
    let drawn: Drawn
    let detailDrawn: Drawn
    var body: some View {
      NavigationStack(path: $switches.path) {
        Detail(query: root, drawn: drawn)
          .navigationDestination(for: Int.self) { _ in
            Detail(query: detail, drawn: detailDrawn)
          }
      }
    }
  }

  @Test(
    "a view that is popped during a fetch lets it run for a second, and finds it when it is back"
  )
  func poppedDuringAFetch() {
    World.run(.further) { world in
      let (switches, drawn, detailDrawn) = (Switches(), Drawn(), Drawn())
      let slow = ScriptedFetch<String>(.value("B", after: .seconds(5)), .value("B2"))
      let mounted = world.mount(
        Stack(
          switches: switches,
          root: query("a", fetch("A")).staleTime(.seconds(60)),
          detail: query("b", slow),
          drawn: drawn,
          detailDrawn: detailDrawn
        )
      )
      world.advance(30)
      #expect(drawn.lines == ["-", "A"])
      // Longer than a change is a doubt.
      world.advance(2000)
      switches.path = [1]
      world.advance(10)
      #expect(detailDrawn.lines.last == "-" && slow.runningCount == 1)
      // The list below is hidden.
      #expect(world.observers == 1)
      switches.path = []
      world.advance(900)
      #expect(slow.runningCount == 1 && world.observers == 1)
      switches.path = [2]
      world.advance(900)
      #expect(slow.callCount == 1 && slow.runningCount == 1)
      switches.path = []
      world.advance(1001)
      #expect(slow.calls.map(\.outcome) == [.cancelled])
      #expect(Set(detailDrawn.lines) == ["-"] && drawn.lines.last == "A")
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("O04: a view that is shown again refetches what is stale")
  func shownAgain() {
    World.run(.further) { world in
      let (switches, drawn) = (Switches(), Drawn())
      let (stale, fresh) = (fetch("A", "A2"), fetch("B", "B2"))
      let mounted = world.mount(
        NavigationStack(path: Bindable(switches).path) {
          Group {
            Detail(query: query("a", stale), drawn: drawn)
            Detail(query: query("b", fresh).refetchOnSubscribe(.never), drawn: drawn)
          }.navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
        }
      )
      world.advance(30)
      switches.path = [1]
      world.advance(2000)
      switches.path = []
      world.advance(30)
      #expect(stale.callCount == 2 && fresh.callCount == 1)
      #expect(drawn.lines.last == "A2")
      mounted.unmount()
    }
  }

  private struct Sheet: View {
    @Bindable var switches: Switches
    let query: Query<String>
    let drawn: Drawn
    let sheetDrawn: Drawn
    var body: some View {
      Screen(query, drawn)
        .sheet(isPresented: $switches.isOn) { Screen(query, sheetDrawn) }
    }
  }

  @Test("a sheet over a screen with the same query makes no request of its own")
  func sheet() {
    World.run(.further) { world in
      let (switches, drawn, sheetDrawn) = (Switches(), Drawn(), Drawn())
      let fetch = fetch("A")
      switches.isOn = false
      let mounted = world.mount(
        Sheet(
          switches: switches,
          query: query("a", fetch).staleTime(.seconds(60)),
          drawn: drawn,
          sheetDrawn: sheetDrawn
        )
      )
      world.advance(10)
      switches.isOn = true
      world.advance(10)
      #expect(sheetDrawn.lines == ["-"] && world.observers == 2)
      world.advance(10)
      #expect(sheetDrawn.lines == ["-", "A"] && drawn.lines.last == "A")
      switches.isOn = false
      world.advance(0)
      switches.isOn = true
      world.advance(0)
      #expect(sheetDrawn.lines.last == "A" && fetch.callCount == 1)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Periods: View {
    @Bindable var switches: Switches
    let period: ObservationPeriod
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      NavigationStack(path: $switches.path) {
        Screen(query, drawn).queryObservation(period)
          .navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
      }
    }
  }

  @Test("a hidden view observes if its surroundings say so")
  func hiddenViews() {
    World.run(.further) { world in
      for (period, hidden) in [
        (ObservationPeriod.always, 1), (.onRender, 0), (.onAppear, 0),
      ] {
        let (switches, drawn) = (Switches(), Drawn())
        let shown = query("\(period)", fetch("A")).staleTime(.seconds(60))
        world.client.setData("cached", for: shown)
        let mounted = world.mount(
          Periods(switches: switches, period: period, query: shown, drawn: drawn)
        )
        #expect(drawn.lines.first == "cached")
        #expect(world.observers == 1)
        switches.path = [1]
        world.advance(0)
        #expect(world.observers == hidden)
        world.client.setData("written", for: shown)
        world.advance(0)
        switches.path = []
        world.advance(0)
        #expect(world.observers == 1 && drawn.lines.last == "written")
        mounted.unmount()
        world.advance(0)
        #expect(world.observers == 0)
      }
    }
  }

  private struct Scene: View {
    let switches: Switches
    let scenes: SceneActivity
    let query: Query<String>
    let drawn: Drawn
    var body: some View {
      Screen(query, drawn).sceneActivity(scenes).environment(\.scenePhase, switches.phase)
    }
  }

  @Test("O05: a scene that comes back refetches what is stale; an inactive one is still looked at")
  func scenes() {
    World.run(.further) { world in
      let (switches, drawn, scenes) = (Switches(), Drawn(), SceneActivity())
      let activity = scenes.activity
      let client = QueryClient(simulation: world.simulation) { $0.activity = activity }
      let fetch = fetch("A", "B", "C")
      let mounted = world.mount(
        alone: Scene(
          switches: switches,
          scenes: scenes,
          query: query("a", fetch).staleTime(.seconds(5)),
          drawn: drawn
        ).queryClient(client)
      )
      world.advance(10_000)
      #expect(drawn.lines.last == "A")
      for phase in [ScenePhase.inactive, .active] {
        switches.phase = phase
        world.advance(100)
      }
      #expect(fetch.callCount == 1)
      for phase in [ScenePhase.inactive, .background, .inactive, .active] {
        switches.phase = phase
        world.advance(100)
      }
      #expect(fetch.callCount == 2 && drawn.lines.last == "B")
      for phase in [ScenePhase.background, .active] {
        switches.phase = phase
        world.advance(100)
      }
      #expect(fetch.callCount == 2)
      mounted.unmount()
    }
  }

  private struct MovingScene: View {
    let switches: Switches
    let scenes: [SceneActivity]
    var body: some View {
      Text("home").sceneActivity(scenes[switches.isOn ? 0 : 1])
        .environment(\.scenePhase, switches.phase)
    }
  }

  @Test("a scene that is given another object to report to leaves the former one")
  func scenesOfAnotherObject() {
    World.run(.further) { world in
      let (switches, scenes) = (Switches(), [SceneActivity(), SceneActivity()])
      let states = scenes.map { world.simulation.record($0.activity.states()) }
      let mounted = world.mount(MovingScene(switches: switches, scenes: scenes))
      world.advance(0)
      switches.isOn = false
      world.advance(0)
      #expect(states.map { $0.values.last } == [false, true])
      switches.phase = .background
      world.advance(0)
      #expect(states.map { $0.values.last } == [false, false])
      mounted.unmount()
    }
  }
}
