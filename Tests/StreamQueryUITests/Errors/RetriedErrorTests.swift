import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// Errors that are still shown after a boundary has let their queries try again.
@MainActor
struct RetriedErrorTests: ObservedSuite {
  private struct Fatal: Error {}
  private struct Late: Error {}

  private func names(_ boundary: ErrorBoundary) -> [String] { boundary.errors.map { "\($0)" } }

  @Test("the error of a selection is caught again when the try has brought the same data")
  func theSameData() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let fetch = ScriptedFetch<String>(
        .value("bad"),
        .value("bad", after: .seconds(1)),
        .value("good", after: .seconds(1))
      )
      let length = ObservedSelection(query("a", fetch).throwOnError(.always), client: client) {
        (text: String) throws -> Int in
        if text == "bad" { throw Fatal() }
        return text.count
      }
      length.boundary = boundary
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()"])
      boundary.reset()
      simulation.settle()
      expect(length.isFetching && boundary.errors.isEmpty)
      simulation.advance(by: .seconds(1))
      expect(length.isError && names(boundary) == ["Fatal()"])
      boundary.reset()
      simulation.advance(by: .seconds(2))
      expect(length.data == 4 && boundary.errors.isEmpty)
    }
  }

  @Test("an error that is reported right after a reset without waiting stays")
  func reportedAfterAReset() {
    run { simulation, _ in
      let boundary = ErrorBoundary()
      boundary.report(Fatal())
      boundary.reset()
      expectEqual(names(boundary), [])
      boundary.report(Late())
      simulation.settle()
      expectEqual(names(boundary), ["Late()"])
    }
  }

  @Test("the error of a query that is not fetched is caught again, that of a list, too")
  func noTry() {
    run { simulation, client in
      let (boundary, listed) = (ErrorBoundary(), ErrorBoundary())
      let failing = query("a", ScriptedFetch(.value("A"), .failure(Fatal()))).throwOnError(.always)
      let fetching = ObservedQuery(failing, client: client)
      simulation.settle()
      fetching.refetch()
      simulation.settle()
      fetching.stop()
      let disabled = failing.enabled(false)
      let observed = ObservedQuery(disabled, client: client)
      let list = ObservedQueries([AnyQuery(disabled)], client: client)
      (observed.boundary, list.boundary) = (boundary, listed)
      expect(names(boundary) == ["Fatal()"] && names(listed) == ["Fatal()"])
      for boundary in [boundary, listed] { boundary.reset() }
      simulation.settle()
      expect(observed.isError && names(boundary) == ["Fatal()"] && names(listed) == ["Fatal()"])
      withExtendedLifetime((observed, list)) {}
    }
  }

  @Test("without a network, an error beside data is caught again at once")
  func offline() {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let online = ManualSignal(true)
        let client = QueryClient(simulation: simulation) {
          $0.connectivity = Connectivity { online }
        }
        simulation.settle()
        let fetch = ScriptedFetch<String>(.value("A"), .failure(Fatal()), .value("A2"))
        let observed = ObservedQuery(query("a", fetch).throwOnError(.always), client: client)
        let boundary = ErrorBoundary()
        observed.boundary = boundary
        simulation.settle()
        observed.refetch()
        simulation.settle()
        expectEqual(names(boundary), ["Fatal()"])
        online.send(false)
        simulation.settle()
        boundary.reset()
        simulation.settle()
        expect(observed.isPaused && names(boundary) == ["Fatal()"])
        online.send(true)
        simulation.advance(by: .seconds(1))
        expect(observed.data == "A2" && boundary.errors.isEmpty)
      }
    }
  }
}
