import StreamQuery
import StreamQueryTesting
import SwiftUI
import Synchronization

@testable import StreamQueryViews

/// A simulation with a client, in which views are mounted.
@MainActor
struct World {
  let simulation: Simulation
  let client: QueryClient
  let behaviour: Mounted.Behaviour
  private let screens = Screens()

  init(simulation: Simulation, client: QueryClient, behaviour: Mounted.Behaviour) {
    (self.simulation, self.client, self.behaviour) = (simulation, client, behaviour)
  }

  /// How much of what Apple leaves open a test is run with.
  enum Extent {
    /// With what concerns every view.
    case usual
    /// With what may happen to hidden views, and how often they are updated, too.
    case further
  }

  /// Runs a test with what Apple leaves open: with any three facts in each combination, or in all combinations
  /// and with two seeds each where `STREAMQUERY_SEEDS` asks for more.
  static func run(_ extent: Extent = .usual, _ body: @MainActor (World) -> Void) {
    var behaviours = Mounted.Behaviour.all
    if extent == .further { behaviours += Mounted.Behaviour.further }
    var runs = behaviours.filter(\.isOfQuarter).enumerated().map { ($1, UInt64($0 % 2)) }
    if Seeds.factor > 1 { runs = behaviours.map { ($0, 0) } + behaviours.map { ($0, 1) } }
    for (behaviour, seed) in runs {
      Simulation.onMainActor(seed: seed) { simulation in
        let client = QueryClient(simulation: simulation)
        body(World(simulation: simulation, client: client, behaviour: behaviour))
      }
    }
  }

  func mount(_ view: some View) -> Mounted { mount(alone: view.queryClient(client)) }

  /// Mounts a view that has no client above it but its own, in a scene in the foreground.
  func mount(alone view: some View) -> Mounted {
    // A window that a test makes belongs to no scene of an app, so nothing else says the phase.
    let mounted = Mounted(view.environment(\.scenePhase, .active), behaviour)
    screens.mounted.append(mounted)
    simulation.settle()
    return mounted
  }

  /// Lets time pass; an animation takes 300 of these milliseconds, or fewer if there are no more.
  func advance(_ milliseconds: Int) {
    let animating = min(milliseconds, 300)
    simulation.advance(by: .milliseconds(animating))
    screens.layOut(in: simulation)
    guard milliseconds > animating else { return }
    simulation.advance(by: .milliseconds(milliseconds - animating))
    screens.layOut(in: simulation)
  }

  /// How many observers the client has.
  var observers: Int { client.diagnostics(.all).map(\.observerCount).reduce(0, +) }
}

/// What is mounted, for hosts that draw only when they are told to.
@MainActor
private final class Screens {
  var mounted: [Mounted] = []

  func layOut(in simulation: Simulation) {
    for screen in mounted where screen.layOut() { simulation.settle() }
  }
}

/// What was drawn, in order: a body says it.
@MainActor
final class Drawn {
  private(set) var lines: [String] = []

  func callAsFunction(_ line: String) -> SwiftUI.Text {
    if !Mounted.isDropping { lines.append(line) }
    // Something to see: a view that makes none does not appear.
    return SwiftUI.Text(verbatim: line)
  }

  /// What was drawn since the last look.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

extension _QueryObjectMembers where Value: CustomStringConvertible {
  /// Data and state in a few characters, reading no more than a view would.
  var text: String {
    guard let data else { return isError ? "failed" : "-" }
    return "\(data)"
  }
}

struct Fatal: Error {}
struct Minor: Error {}

@MainActor
func query(_ name: String, _ fetch: ScriptedFetch<String>) -> Query<String> {
  Query(key: QueryKey(name), fetch: fetch).retry(0)
}

@MainActor
func fetch(_ values: String...) -> ScriptedFetch<String> {
  ScriptedFetch(values.map { .value($0, after: .milliseconds(30)) })
}
