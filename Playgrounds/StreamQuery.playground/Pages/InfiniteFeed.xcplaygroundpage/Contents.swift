//: # An infinite feed
//:
//: All pages of a feed are one entry of the cache. Pages are added at either end; a refresh loads
//: as many as there were, one after the other, and swaps them in together.
//:
//: On Linux: `swift run --package-path Playgrounds InfiniteFeed`
import StreamQuery
import StreamQueryOperators
import StreamQueryTesting

//: Time is virtual: the page takes a moment to run, and prints the same each time.
let simulation = Simulation(seed: 1)
let client = QueryClient(simulation: simulation)

func note(_ line: String) {
  print("\(Int(simulation.now / .milliseconds(1))) ms  \(line)")
}

struct FeedPage: Hashable, Sendable {
  var items: [String]
  var next: Int?
  var previous: Int?
}

struct Offline: Error {}

//: The server has four pages of two rows, and answers in 100 ms.
func load(_ page: Int) async throws -> FeedPage {
  note("the server is asked for page \(page)")
  try await simulation.clock.sleep(for: .milliseconds(100))
  return FeedPage(
    items: ["row \(page)a", "row \(page)b"],
    next: page < 4 ? page + 1 : nil,
    previous: page > 1 ? page - 1 : nil
  )
}

//: No more than three pages are kept: a page that is added at one end drops the one at the other.
extension InfiniteQuery<FeedPage, Int> {
  static var feed: Self {
    Self("feed", initialPageParam: 1, maxPages: 3) { page, _ in
      try await load(page)
    } nextPageParam: {
      $0.lastPage.next
    } previousPageParam: {
      $0.firstPage.previous
    }
  }
}

/// Belongs to no actor: a closure at the call would belong to the main actor, which is busy with
/// running the simulation.
@Sendable func show(_ feed: QueryResult<Pages<FeedPage, Int>>) {
  let rows = feed.pages.flatMap(\.items).joined(separator: ", ")
  var state: [String] = []
  if feed.isFetchingNextPage { state.append("more coming below") }
  if feed.isFetchingPreviousPage { state.append("more coming above") }
  if feed.isRefetching { state.append("refreshing") }
  if feed.isSuccess, !feed.hasNextPage { state.append("the end") }
  note(([rows.isEmpty ? "no rows" : rows] + state).joined(separator: " · "))
}

let screen = simulation.record(client.stream(.feed).onChange(show))
simulation.advance(by: .seconds(1))

func scroll(_ direction: String, _ fetch: @escaping @Sendable () async throws -> Void) {
  note("scrolled \(direction)")
  simulation.task("scroll") { try? await fetch() }
  simulation.advance(by: .seconds(1))
}

//: Down to the end: the first page is dropped when the fourth comes.
for _ in 2...4 { scroll("down") { try await client.fetchNextPage(of: .feed) } }

//: Past the end nobody is asked.
scroll("down") { try await client.fetchNextPage(of: .feed) }

//: Up again: the first page is loaded anew.
scroll("up") { try await client.fetchPreviousPage(of: .feed) }

//: An invalidation refreshes all three, from the first.
note("invalidated")
simulation.task("refresh") { await client.invalidate(.query(.feed)) }
simulation.advance(by: .seconds(1))

screen.cancel()
simulation.settle()
print("nothing left behind: \(simulation.isIdle)")
