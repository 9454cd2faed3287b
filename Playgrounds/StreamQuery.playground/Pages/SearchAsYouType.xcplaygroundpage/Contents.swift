//: # Search as you type
//:
//: A search field that asks the server once the user comes to rest, forgets answers that nobody
//: waits for any more, and keeps the old list on the screen until the new one is there.
//:
//: On Linux: `swift run --package-path Playgrounds SearchAsYouType`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

//: The server takes 500 ms for an answer. The answer is fresh for a minute.
extension Query<[String]> {
  static func search(_ text: String) -> Self {
    Query("search", text) {
      note("the server is asked for \"\(text)\"")
      do {
        try await simulation.clock.sleep(for: .milliseconds(500))
      } catch {
        note("the request for \"\(text)\" is given up")
        throw error
      }
      return ["swallow", "swan", "swift", "swim"].filter { $0.hasPrefix(text) }
    }
    .staleTime(.minutes(1))
  }
}

/// Belongs to no actor: a closure at the call would belong to the main actor, which is busy with
/// running the simulation.
@Sendable func show(_ result: QueryResult<[String]>) {
  let words = result.data?.joined(separator: " ") ?? "nothing yet"
  note(result.isPlaceholderData ? "old list: \(words)" : "list: \(words)")
}

//: Three operators: wait for a pause of 300 ms, follow the newest text, keep what was shown.
let typed = ManualSignal("")
let screen = simulation.record(
  typed
    .filter { !$0.isEmpty }
    .debounce(for: .milliseconds(300), clock: simulation.clock)
    .switchToLatest { client.stream(.search($0)) }
    .keepPreviousData()
    .onChange(show)
)

func type(_ text: String, thenWait milliseconds: Int) {
  note("the user types \"\(text)\"")
  typed.send(text)
  simulation.advance(by: .milliseconds(milliseconds))
}

//: Two quick letters are one request.
type("s", thenWait: 100)
type("sw", thenWait: 1000)

//: The next text is searched, but before the answer comes the user goes on: that request is
//: cancelled, and its answer never shows.
type("swa", thenWait: 400)
type("swan", thenWait: 1000)

//: Back to a text that was searched a moment ago: it is fresh, so nobody is asked.
type("sw", thenWait: 1000)

screen.cancel()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
