import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// Boundaries around each other, of which each catches another error of one query.
@MainActor
struct NestedBoundaryTests: ObservedSuite {
  private struct Fatal: Error {}
  private struct Minor: Error {}

  private static let orders: [[any Error]] = [[Minor(), Fatal()], [Fatal(), Minor()]]

  private func names(_ boundary: ErrorBoundary) -> [String] { boundary.errors.map { "\($0)" } }

  private func failing(with errors: [any Error]) -> Query<String> {
    let fetch = ScriptedFetch<String>(
      .failure(errors[0]),
      .failure(errors[1]),
      .value("A")
    )
    return query("\(errors[0])", fetch).throwOnError(.always)
  }

  @Test("E03: a query has one error in all boundaries, the newest, and none when it recovers")
  func theNewestErrorCounts() {
    run { simulation, client in
      for errors in Self.orders {
        let app = ErrorBoundary()
        let screen = ErrorBoundary(parent: app, catches: { $0 is Minor })
        let observed = ObservedQuery(failing(with: errors), client: client)
        observed.boundary = screen
        simulation.settle()
        expectEqual(names(app) + names(screen), ["\(errors[0])"])
        observed.refetch()
        simulation.settle()
        expectEqual(names(app) + names(screen), ["\(errors[1])"])
        observed.refetch()
        simulation.settle()
        expect(observed.data == "A" && app.errors.isEmpty && screen.errors.isEmpty)
      }
    }
  }

  @Test("E04: no boundary has an error of a former key")
  func theErrorsOfAFormerKeyLeaveAllBoundaries() {
    run { simulation, client in
      for errors in Self.orders {
        let app = ErrorBoundary()
        let screen = ErrorBoundary(parent: app, catches: { $0 is Minor })
        let observed = ObservedQuery(failing(with: errors), client: client)
        observed.boundary = screen
        simulation.settle()
        observed.refetch()
        simulation.settle()
        observed.update(query: query("other"))
        simulation.settle()
        expect(app.errors.isEmpty && screen.errors.isEmpty)
      }
    }
  }

  @Test("E03: an error that was reported to an outer boundary stays when another object reports it")
  func reportsOfOthersStay() {
    run { simulation, client in
      let app = ErrorBoundary()
      let screen = ErrorBoundary(parent: app)
      let query = failing(with: [Fatal(), Fatal()])
      let all = ObservedQuery(query, client: client)
      let part = ObservedQuery(query, client: client)
      (all.boundary, part.boundary) = (app, screen)
      simulation.settle()
      expect(names(app) == ["Fatal()"] && names(screen) == ["Fatal()"])
      part.refetch()
      simulation.settle()
      expect(names(app) == ["Fatal()"] && names(screen) == ["Fatal()"])
    }
  }

  @Test(
    "E04: the error of a selection stays when another object shows that the query has recovered"
  )
  func errorsOfSelectionsStay() {
    run { simulation, client in
      for isNested in [false, true] {
        let app = ErrorBoundary()
        let screen = ErrorBoundary(parent: app)
        let fetch = ScriptedFetch<String>(.failure(Fatal()), .value("bad"), .value("good"))
        let text = query("\(isNested)", fetch).throwOnError(.always)
        let length = ObservedSelection(text, client: client) { (text: String) throws -> Int in
          if text == "bad" { throw Minor() }
          return text.count
        }
        let whole = ObservedQuery(text, client: client)
        length.boundary = app
        whole.boundary = isNested ? screen : app
        simulation.settle()
        expectEqual(names(app), ["Fatal()"])
        whole.refetch()
        simulation.settle()
        expectEqual(whole.data, "bad")
        expect(length.isError && names(app) == ["Minor()"] && screen.errors.isEmpty)
        whole.refetch()
        simulation.settle()
        expect(length.data == 4 && app.errors.isEmpty)
      }
    }
  }
}
