// The sample app without its views: the actions of a user on the models, and the texts of the models.
//
// `swift run --package-path Playgrounds SampleStory`. Time is virtual: the program takes a moment, and
// prints the same each time. Tests/SwiftUIStandIn does the same with the views, and ServedStory does it
// with the models before a real server.
import Foundation
import Observation
import StreamQuery
import StreamQueryTesting
import StreamQueryUI

/// Prints the actions of the user, and the changes that follow.
@MainActor
final class Story {
  private let simulation: Simulation
  /// The line that was printed last, for each name.
  private var told: [String: String] = [:]

  init(_ simulation: Simulation) { self.simulation = simulation }

  nonisolated func note(_ who: String, _ what: String) {
    let time = String(Int(simulation.now / .milliseconds(1)))
    let columns = [(time, 6), (who, 8)].map { text, width in
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    print(columns.joined() + what)
  }

  /// Prints a line whenever it has changed, just as a view that reads the same would be drawn again.
  func follow(_ who: String, _ line: @escaping @MainActor () -> String) {
    let now = withObservationTracking(line) {
      Task { @MainActor in self.follow(who, line) }
    }
    if told.updateValue(now, forKey: who) != now { note(who, now) }
  }

  /// Prints and performs an action of the user, and then waits.
  func act(_ what: String, wait: Duration = .seconds(1), _ body: () -> Void = {}) {
    note("user", what)
    body()
    simulation.advance(by: wait)
  }
}

Simulation.onMainActor(seed: 1) { simulation in
  let story = Story(simulation)
  let online = ManualSignal(true)
  let connectivity = Connectivity { online }
  let client = QueryClient(simulation: simulation) { $0.connectivity = connectivity }
  let server = LocalServer(clock: simulation.clock) { story.note("server", $0) }
  let app = AppModel(api: server, client: client, connectivity: connectivity)

  story.follow("app") { app.isOnline ? "online" : "offline" }
  story.follow("feed") {
    let feed = app.feed.query
    let end = feed.isFetching ? "…" : feed.hasNextPage ? "and more" : "the end"
    let error = feed.error.map { ", \($0.localizedDescription)" } ?? ""
    return "\(app.feed.posts.count) posts \(end)\(error)"
  }
  story.follow("search") {
    let search = app.search
    guard !search.text.isEmpty else { return "nothing" }
    let names = search.people.data?.map(\.name) ?? []
    let state = search.people.isPlaceholderData ? " for a shorter text" : ""
    return "\(search.text): \(names)\(state)\(search.people.isFetching ? " …" : "")"
  }
  story.act("opens the app")
  story.act("sees the end of the list") { app.feed.query.fetchNextPage() }
  story.act("types") { app.search.text = "a" }
  story.act("types on", wait: .milliseconds(100)) { app.search.text = "al" }
  story.act("types on") { app.search.text = "ala" }

  // The query of a pushed screen. In the app, a property wrapper of the view observes the query.
  let user = ObservedQuery(.user(2, from: server), client: client)
  let edit = EditModel(id: 2, api: server, client: client)
  story.follow("person") {
    guard let person = user.data else { return "…" }
    return person.name + (edit.state.map { ", \($0)" } ?? "")
  }
  story.act("opens Alan")
  for name in ["Alan Turing", "Grace"] {
    if let person = user.data { edit.edit(person) }
    edit.name = name
    story.act("renames Alan to \(name)") { edit.save() }
  }

  story.act("loses the network") { online.send(false) }
  edit.name = "Turing"
  story.act("renames Alan to Turing") { edit.save() }
  story.act("has a network again") { online.send(true) }

  server.isDown = true
  story.act("pulls while the server is away", wait: .seconds(10)) {
    app.feed.query.refetch()
  }
  server.isDown = false
  story.act("tries again") { Task { await app.feed.tryAgain() } }

  // Errors that leave nothing to show go to a boundary.
  let boundary = ErrorBoundary()
  let nobody = ObservedQuery(.user(9, from: server), client: client)
  nobody.boundary = boundary
  story.follow("nobody") { boundary.error?.localizedDescription ?? "…" }
  story.act("opens a link to nobody")
}
