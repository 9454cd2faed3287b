#if !canImport(Darwin)
import Foundation
import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import SampleApp

/// The app of the playgrounds, used by somebody, without a screen: only the stand-in has one.
@MainActor
struct SampleAppTests {
  /// Does what a user does, and writes down what is to be seen then.
  @MainActor
  private final class Story {
    let simulation: Simulation
    let host: SwiftUI.Host
    private(set) var lines: [String] = []

    init(_ simulation: Simulation, _ host: SwiftUI.Host) {
      self.simulation = simulation
      self.host = host
    }

    func then(
      _ what: String,
      after milliseconds: Int = 0,
      _ act: () -> Bool = { true },
      _ location: SourceLocation = #_sourceLocation
    ) {
      #expect(act(), "cannot be done: \(what)", sourceLocation: location)
      simulation.advance(by: .milliseconds(milliseconds))
      lines += ["", "== \(what)"] + host.screen
    }

    func press(_ label: String, after milliseconds: Int = 0) {
      then("presses \(label)", after: milliseconds) { host.press(label) }
    }
  }

  private static let expected = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../../Playgrounds/Expected/SampleAppScreens.txt")

  @Test("search, feed, detail, edits that succeed, fail and wait for the network")
  func story() throws {
    let isRecording = ProcessInfo.processInfo.environment["RECORD_SCREENS"] != nil
    var expected = isRecording ? nil : try String(contentsOf: Self.expected, encoding: .utf8)
    World.run { world in
      let shown = play(world)
      if expected == nil { expected = shown }
      #expect(shown == expected)
    }
    if isRecording, let expected {
      try expected.write(to: Self.expected, atomically: true, encoding: .utf8)
    }
  }

  private func play(_ world: World) -> String {
    let simulation = world.simulation
    let online = ManualSignal(true)
    let connectivity = Connectivity { online }
    let client = QueryClient(simulation: simulation) { $0.connectivity = connectivity }
    let server = LocalServer(clock: simulation.clock)
    let app = AppModel(api: server, client: client, connectivity: connectivity)
    let host = Host(AppView(app: app), behaviour: world.behaviour)
    let story = Story(simulation, host)

    story.then("the app starts")
    story.then("the first page is there", after: 35)
    server.isDown = true
    story.then("the server goes away", after: 5000)
    server.isDown = false
    // All, as this screen has room for them.
    story.press("Try again", after: 1000)

    story.then("types a letter", after: 200) { host.type("a", into: "People") }
    story.then("and another one", after: 299) { host.type("ad", into: "People") }
    story.then("found", after: 1000)
    story.press("Ada")

    story.press("Edit")
    story.then("empties the name") { host.type("", into: "Name") }
    #expect(!host.press("Save"))
    story.then("writes another one") { host.type("Ada Lovelace", into: "Name") }
    story.press("Save")
    story.then("the server has it", after: 1000)

    story.press("Edit")
    _ = host.type("Grace", into: "Name")
    story.press("Save")
    story.then("the server refuses it", after: 1000)
    story.press("Edit again")
    story.press("Cancel")

    story.then("the network is gone") {
      online.send(false)
      return true
    }
    story.press("Edit again")
    _ = host.type("Countess", into: "Name")
    story.press("Save", after: 1000)
    story.then("goes back") { host.goBack() }
    story.then("closes the search") { host.type("", into: "People") }
    story.then("the network is back", after: 1000) {
      online.send(true)
      return true
    }

    server.isDown = true
    story.then("pulls while the server is away", after: 10_000) { host.pull() != nil }
    server.isDown = false
    story.press("Try again", after: 1000)

    story.then("the network is gone") {
      online.send(false)
      return true
    }
    story.then("opens a link to nobody", after: 1000) {
      app.path = [.person(9)]
      return true
    }
    story.then("the network is back", after: 1000) {
      online.send(true)
      return true
    }
    story.press("Try again", after: 1000)
    story.then("goes back") { host.goBack() }

    host.unmount()
    return story.lines.dropFirst().joined(separator: "\n") + "\n"
  }
}
#endif
