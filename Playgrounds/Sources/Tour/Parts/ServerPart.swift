import Foundation

/// Checks the demo server without StreamQuery, because all other parts rely on this server.
func serverPart(_ timeline: Timeline, _ checks: Checks) async throws {
  timeline.title("The server")
  let server = DemoServer()
  let url = try await server.start()
  let api = API(url: url)
  timeline.note("server", "listens on a free port of \(url.host() ?? "")")

  let before = timeline.elapsed
  let ada = try await api.user(1)
  let took = timeline.elapsed - before
  timeline.note("client", "got \(ada.name)")
  checks.check("a user is slow to load", took >= .milliseconds(120))

  let prices = [try await api.price(), try await api.price()]
  checks.check("the price changes with each request", prices[0] != prices[1])

  var outcomes: [String] = []
  for _ in 0..<3 {
    do { outcomes.append(try await api.flaky()) } catch let failure as API.Failure {
      outcomes.append(String(failure.status))
    }
  }
  timeline.note("client", "flaky answered \(outcomes)")
  checks.check("every third request to /flaky succeeds", outcomes == ["503", "503", "steady"])

  let renamed = try await api.rename(1, to: "Ada Lovelace")
  let reloaded = try await api.user(1)
  checks.check("a rename is seen by the next load", renamed == reloaded && reloaded != ada)
  let added = try await api.add("Observe it")
  let todos = try await api.todos()
  checks.check("a new entry ends the list", todos.last == added)

  let middle = try await api.feed(page: 1)
  let last = try await api.feed(page: 3)
  checks.check("pages know their neighbours", middle.previous == 0 && middle.next == 2)
  checks.check("the last page has no next one", last.next == nil)

  async let short = api.search("a")
  async let long = api.search("ad")
  checks.check("a search finds by part of a name", try await long.map(\.id) == [1])
  checks.check("a shorter text finds more", try await short.map(\.id) == [1, 2, 3])

  await server.stop()
  timeline.note("server", "is stopped")
  do {
    _ = try await api.users()
    checks.check("a stopped server answers nobody", false)
  } catch {
    checks.check("a stopped server answers nobody", true)
  }
  let again = try await server.start()
  timeline.note("server", "listens again")
  checks.check("it comes back at the same address", again == url)
  checks.check("it remembers what it knew", try await api.users().first == renamed)
  checks.check("it counts requests", await server.count(of: "GET /users/1") == 2)
  await server.stop()
}
