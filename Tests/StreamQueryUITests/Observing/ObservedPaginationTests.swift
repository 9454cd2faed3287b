import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct ObservedPaginationTests {
  private typealias Search = ObservedPagination<String, Int, String>

  @Test("G02, G04: pages are queries of their own, and going back to a fresh one makes no request")
  func movingShowsPagesAndKeepsTheLastOne() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let log = FetchLog()
      let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
      let search = Search(Pagination(input: "swift"), client: client) { text, page in
        Query("search", text, page) {
          log.add("\(text) \(page)")
          try await pause()
          return "\(text) \(page)"
        }
        .staleTime(.minutes(1))
      }
      let screen = Screen {
        "\(search.page): \(search.query.data ?? "-")\(search.query.isPlaceholderData ? " (kept)" : "")"
      }
      expect(!search.canMoveToPreviousPage)
      simulation.advance(by: .seconds(1))
      search.moveToNextPage()
      simulation.advance(by: .seconds(1))
      search.moveToPreviousPage()
      simulation.advance(by: .seconds(1))
      search.input = "kotlin"
      simulation.advance(by: .seconds(1))
      expectEqual(
        screen.frames,
        [
          "1: -", "1: swift 1", "2: swift 1 (kept)", "2: swift 2", "1: swift 1",
          "1: swift 1 (kept)", "1: kotlin 1",
        ]
      )
      expectEqual(log.lines, ["swift 1", "swift 2", "kotlin 1"])
    }
  }

  @Test("G01: what is not started fetches nothing, and moves all the same")
  func movingBeforeTheStart() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let search = Search(Pagination(input: "swift", initialPage: 3)) { text, page in
        Query("search", text, page, fetch: ScriptedFetch(.value("\(text) \(page)")))
      }
      search.moveToNextPage()
      search.moveToPreviousPage()
      search.moveToPreviousPage()
      search.move(to: 9)
      expect(search.page == 9 && search.query.isPending)
      search.reset()
      search.follow(using: client)
      simulation.settle()
      expectEqual(search.query.data, "swift 3")
      search.follow(using: client) { text, page in
        Query("other", text, page, fetch: ScriptedFetch(.value("other \(page)")))
      }
      simulation.settle()
      expectEqual(search.query.data, "other 3")
    }
  }

  @MainActor
  private final class Again {
    var action: (@MainActor () -> Void)?
  }

  @Test("pages that an event starts again while they are put away can still be turned")
  func startedAgainWhilePutAway() {
    Simulation.onMainActor { simulation in
      let again = Again()
      let client = QueryClient(simulation: simulation) {
        $0.onEvent = { event in
          if case .unobserved = event.kind { MainActor.assumeIsolated { again.action?() } }
        }
      }
      let search = Search(Pagination(input: "swift"), client: client) { text, page in
        Query("search", text, page, fetch: ScriptedFetch(.value("\(text) \(page)")))
      }
      simulation.settle()
      again.action = {
        again.action = nil
        search.query.start(using: client)
      }
      search.showNothing()
      expect(search.query.isObserving && search.query.data == "swift 1")
      search.moveToNextPage()
      simulation.settle()
      expectEqual(search.query.data, "swift 2")
      search.showNothing()
      search.moveToNextPage()
      expect(!search.query.isObserving && search.query.data == nil && search.page == 3)
    }
  }
}
