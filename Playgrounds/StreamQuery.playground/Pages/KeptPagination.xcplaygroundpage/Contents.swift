//: # Pagination with kept data
//:
//: One observer moves from page to page. While a page loads, the one before stays on the screen,
//: marked as a stand-in; a page that was seen before shows at once.
//:
//: On Linux: `swift run --package-path Playgrounds KeptPagination`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct Offline: Error {}

//: The server answers in 200 ms, and there is no page 4.
extension Query<[String]> {
  static func products(page: Int) -> Self {
    Query("products", page) {
      note("the server is asked for page \(page)")
      try await simulation.clock.sleep(for: .milliseconds(200))
      guard page < 4 else { throw Offline() }
      return (1...3).map { "product \(page).\($0)" }
    }
    .staleTime(.minutes(1))
    .retry(0)
  }
}

/// Belongs to no actor: a closure at the call would belong to the main actor, which is busy with
/// running the simulation.
@Sendable func show(_ result: QueryResult<[String]>) {
  let rows = result.data?.joined(separator: ", ") ?? "no rows"
  switch result.status {
  case .pending: note("spinner")
  case .success: note(result.isPlaceholderData ? "dimmed: \(rows)" : rows)
  case .error: note("failed; \(rows)")
  }
}

let page = ManualSignal(1)
let screen = simulation.record(
  page
    .map { Query.products(page: $0) }
    .observed(by: client)
    .keepPreviousData()
    .onChange(show)
)
simulation.advance(by: .seconds(1))

func turn(to number: Int) {
  note("to page \(number)")
  page.send(number)
  simulation.advance(by: .seconds(1))
}

//: Forward: the rows of page 1 stay until those of page 2 are there.
turn(to: 2)

//: Back: page 1 is in the cache and fresh, so nobody is asked.
turn(to: 1)

//: A page that fails shows its error, and not the rows of another page.
turn(to: 4)

//: A neighbour that was prefetched shows at once too.
simulation.task("prefetch") { await client.prefetch(.products(page: 3)) }
simulation.advance(by: .seconds(1))
turn(to: 3)

screen.cancel()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
