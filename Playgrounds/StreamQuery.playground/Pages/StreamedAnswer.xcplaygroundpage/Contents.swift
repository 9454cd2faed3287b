//: # An answer that comes word by word
//:
//: The fetch of a query may be a stream. The part that came so far is shown at once, and stays when the
//: stream fails or is stopped.
//:
//: On Linux: `swift run --package-path Playgrounds StreamedAnswer`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct Interrupted: Error {}

//: The server says a word each 100 ms, and is interrupted where the text says so.
struct Words: AsyncSequence {
  let text: String

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<String>

    mutating func next() async throws -> String? {
      guard let word = rest.popFirst() else { return nil }
      try await simulation.clock.sleep(for: .milliseconds(100))
      if word == "…" { throw Interrupted() }
      return word + " "
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: text.split(separator: " ").map(String.init)[...])
  }
}

//: Each word is folded into the text. A refetch begins anew unless told otherwise.
func answer(_ id: Int, _ text: String, refetch: StreamedRefetch = .reset) -> Query<String> {
  .streamed("answer", id, into: "", refetch: refetch) { _ in
    note("the server is asked for answer \(id)")
    return Words(text: text)
  } reduce: {
    $0 += $1
  }
  .retry(0)
}

func show(_ query: Query<String>) -> ResultRecording<QueryResult<String>> {
  simulation.record(
    client.results(of: query).onChange { result in
      let text = result.data ?? "spinner "
      note(text + (result.isError ? "(interrupted)" : result.isFetching ? "…" : "(end)"))
    }
  )
}

//: Each word shows as it comes.
let whole = answer(1, "Data is kept")
var screen = show(whole)
simulation.advance(by: .seconds(1))

//: A refetch that resets shows the spinner again; one that replaces keeps the text until the end.
note("refetch, reset")
simulation.task("refetch") { await client.refetch(whole) }
simulation.advance(by: .seconds(1))
screen.cancel()
screen = show(answer(1, "It is better now", refetch: .replace))
simulation.advance(by: .seconds(1))
screen.cancel()

//: After an interruption, the words that came stay.
screen = show(answer(2, "Half a …"))
simulation.advance(by: .seconds(1))
screen.cancel()

//: They also stay when the screen is left: the stream is cancelled, and the third word never comes.
let left = answer(3, "One two three")
screen = show(left)
simulation.advance(by: .milliseconds(250))
screen.cancel()
simulation.advance(by: .seconds(1))
note("kept: \(client.data(for: left) ?? "nothing")")

simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
