import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

@testable import People

/// Answers everything with Ada, and counts the questions.
nonisolated struct ScriptedServer: API {
  let fetch = ScriptedFetch<[User]>(
    .value([User(id: 1, name: "Ada")], after: .milliseconds(50))
  )

  func search(_ text: String) async throws -> [User] {
    try await fetch()
  }
}

@MainActor
struct SearchTests {
  @Test(arguments: 0..<20)
  func asksOnceTheUserHasStoppedTyping(seed: UInt64) {
    Simulation.onMainActor(seed: seed) { simulation in
      let server = ScriptedServer()
      let client = QueryClient(simulation: simulation)
      let model = SearchModel(api: server, client: client)

      model.text = "a"
      simulation.advance(by: .milliseconds(200))
      model.text = "ad"
      simulation.advance(by: .milliseconds(350))

      #expect(model.people.data?.map(\.name) == ["Ada"])
      #expect(server.fetch.callCount == 1)
    }
  }
}
