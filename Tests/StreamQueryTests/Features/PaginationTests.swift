import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

struct PaginationTests {
  @Test("G01 G02: another input starts at the initial page; an equal one changes nothing")
  func inputChangeResetsThePage() {
    var place = Pagination(input: "swift")
    place.moveToNextPage()
    place.moveToNextPage()
    expectEqual(place.page, 3)
    place.input = "swift"
    expectEqual(place.page, 3)
    place.input = "kotlin"
    expectEqual(place.page, 1)
  }

  @Test("G01: before the first page there is none") func movingBackStopsAtTheFirstPage() {
    var place = Pagination(input: 0, initialPage: 0, step: 20)
    place.moveToNextPage()
    let isMoved = place.moveToPreviousPage()
    expect(isMoved)
    expectEqual(place.page, 0)
    expect(!place.canMoveToPreviousPage)
    let isMovedAgain = place.moveToPreviousPage()
    expect(!isMovedAgain)
    expectEqual(place.page, 0)
  }

  @Test func theLastNumberIsNoTrap() {
    var place = Pagination(input: 0, initialPage: .max - 1)
    for _ in 0..<3 { place.moveToNextPage() }
    expectEqual(place.page, .max)
    place = Pagination(input: 0, initialPage: .min, step: .max)
    place.move(to: .min + 5)
    place.moveToPreviousPage()
    expectEqual(place.page, .min)
  }

  @Test func cursorsNeedTheirOwnRules() {
    var place = Pagination(input: "x", initialPage: "a") {
      $0 + "a"
    } previousPage: {
      String($0.dropLast())
    }
    expect(!place.canMoveToPreviousPage)
    place.moveToNextPage()
    expectEqual(place.page, "aa")
    expect(place.canMoveToPreviousPage)
    place.reset()
    expectEqual(place.page, "a")
  }

  @Test("G03 G04: each page is cached by itself; going back to a fresh one makes no request")
  func goingBackToAFreshPageMakesNoRequest() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation)
    let log = Mutex<[String]>([])
    let pages = client.paginated(Pagination(input: "swift")) { text, page in
      Query("search", text, page) {
        log.withLock { $0.append("\(text)/\(page)") }
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return "\(text)/\(page)"
      }
      .staleTime(.seconds(60))
    }
    let recording = simulation.record(pages.stream)
    simulation.advance(by: .milliseconds(20))
    pages.moveToNextPage()
    simulation.advance(by: .milliseconds(20))
    pages.moveToPreviousPage()
    simulation.advance(by: .milliseconds(20))
    pages.moveToPreviousPage()
    pages.input = "kotlin"
    simulation.advance(by: .milliseconds(20))
    expectEqual(log.withLock { $0 }, ["swift/1", "swift/2", "kotlin/1"])
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success("swift/1"),
        .pending(isFetching: true), .success("swift/2"),
        .success("swift/1"),
        .pending(isFetching: true), .success("kotlin/1"),
      ]
    )
    expectEqual(pages.pagination.page, 1)
    // One observer in all: the pages that were left have none.
    expectEqual(client.diagnostics().map(\.observerCount).sorted(), [0, 0, 1])
  }

  @Test func leavingAPageBeforeItCameCancelsItsRequest() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let pages = client.paginated(Pagination(input: 1)) { Query("list", $0, $1, fetch: fetch) }
    let recording = simulation.record(pages.stream)
    simulation.settle()
    pages.moveToNextPage()
    simulation.settle()
    expectEqual(fetch.calls.map(\.outcome), [.cancelled, nil])
    recording.cancel()
    simulation.settle()
  }
}
