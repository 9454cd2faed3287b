import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

@MainActor
struct ErrorBoundaryViewTests {
  @MainActor
  private final class Retry { var action: (@MainActor () -> Void)? }

  private struct Shown: View {
    let queries: [Query<String>]
    let drawn: Drawn
    let retry: Retry
    var onReset: @MainActor () -> Void = {}
    var body: some View {
      ForEach(queries.indices, id: \.self) { Screen(queries[$0], drawn) }
        .errorBoundary(reset: onReset) { error, action in
          let _ = retry.action = action
          drawn("boundary: \(error)")
        }
    }
  }

  private func query(_ name: String, _ fetch: ScriptedFetch<String>) -> Query<String> {
    Query(key: QueryKey(name), fetch: fetch).retry(0).throwOnError(.when { $0 is Fatal })
  }

  @Test("E02: an error replaces the content; trying again shows the content, and what it then gets")
  func reset() {
    World.run(.further) { world in
      let (drawn, retry) = (Drawn(), Retry())
      var resets = 0
      let fetch = ScriptedFetch<String>(
        .failure(Fatal(), after: .milliseconds(30)),
        .failure(Fatal(), after: .milliseconds(30)),
        .value("A", after: .milliseconds(30))
      )
      let mounted = world.mount(
        Shown(queries: [query("a", fetch)], drawn: drawn, retry: retry) { resets += 1 }
      )
      world.advance(30)
      #expect(drawn.take().last == "boundary: Fatal()")
      for expected in ["boundary: Fatal()", "A"] {
        retry.action?()
        world.advance(29)
        #expect(drawn.take().last == "-")
        world.advance(1)
        #expect(drawn.take().last == expected)
      }
      #expect(resets == 2 && fetch.callCount == 3)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  @Test("E02: a view shows the boundary of a model, for its queries and for those of its wrappers")
  func boundaryOfAModel() {
    struct Shown: View {
      let boundary: ErrorBoundary
      let wrapped: Query<String>
      let drawn: Drawn
      let retry: Retry
      var body: some View {
        ErrorBoundaryView(boundary) {
          Screen(wrapped, drawn)
        } failure: { error, action in
          let _ = retry.action = action
          drawn("boundary: \(boundary.errors.count)")
        }
      }
    }
    World.run(.further) { world in
      let (drawn, retry) = (Drawn(), Retry())
      let boundary = ErrorBoundary()
      @MainActor func failing(_ name: String, after time: Int) -> Query<String> {
        let failure = ScriptedFetch<String>(
          .failure(Fatal(), after: .milliseconds(time)),
          .value(name, after: .milliseconds(30))
        )
        return query(name, failure)
      }
      let ofModel = ObservedQuery(failing("a", after: 30), client: world.client)
      ofModel.boundary = boundary
      let mounted = world.mount(
        // First: when the boundary shows an error, the view of the wrapper is gone.
        Shown(boundary: boundary, wrapped: failing("b", after: 20), drawn: drawn, retry: retry)
      )
      world.advance(30)
      #expect(drawn.take().last == "boundary: 2")
      retry.action?()
      world.advance(30)
      #expect(drawn.take().last == "b")
      #expect(ofModel.data == "a" && boundary.error == nil)
      mounted.unmount()
    }
  }

  @Test("E02: a refresh that failed is tried again with the data at hand")
  func resetWithData() {
    World.run(.further) { world in
      let (drawn, retry) = (Drawn(), Retry())
      let fetch = ScriptedFetch<String>(
        .failure(Fatal(), after: .milliseconds(30)),
        .value("A", after: .milliseconds(30))
      )
      let shown = query("a", fetch)
      world.client.setData("old", for: shown)
      world.advance(1)
      let mounted = world.mount(Shown(queries: [shown], drawn: drawn, retry: retry))
      world.advance(30)
      #expect(drawn.take().last == "boundary: Fatal()")
      retry.action?()
      world.advance(29)
      #expect(drawn.take().last == "old")
      world.advance(1)
      #expect(drawn.take().last == "A" && fetch.callCount == 2)
      mounted.unmount()
    }
  }

  @Test("E04: errors that the query does not name stay in its properties")
  func inlineErrors() {
    World.run(.further) { world in
      let (drawn, retry) = (Drawn(), Retry())
      let fetch = ScriptedFetch<String>(.failure(Minor(), after: .milliseconds(30)))
      let mounted = world.mount(Shown(queries: [query("a", fetch)], drawn: drawn, retry: retry))
      world.advance(30)
      #expect(drawn.lines == ["-", "failed"])
      mounted.unmount()
    }
  }

  private struct Nested: View {
    let query: Query<String>
    let drawn: Drawn
    let catchesInside: Bool
    var body: some View {
      ErrorBoundaryView {
        ErrorBoundaryView(catching: { _ in catchesInside }) {
          Screen(query, drawn)
        } failure: { _, _ in
          drawn("inner")
        }
      } failure: { _, _ in
        drawn("outer")
      }
    }
  }

  @Test("E03: the nearest boundary that catches an error shows it")
  func nested() {
    World.run(.further) { world in
      for (catchesInside, expected) in [(true, "inner"), (false, "outer")] {
        let drawn = Drawn()
        let fetch = ScriptedFetch<String>(.failure(Fatal(), after: .milliseconds(30)))
        let mounted = world.mount(
          Nested(query: query(expected, fetch), drawn: drawn, catchesInside: catchesInside)
        )
        world.advance(30)
        #expect(drawn.lines.last == expected)
        mounted.unmount()
      }
    }
  }

  private struct Reporting: View {
    @Environment(\.reportError) private var reportError
    let drawn: Drawn
    let retry: Retry
    var body: some View {
      let _ = retry.action = { reportError(Minor()) }
      drawn("content")
    }
  }

  @Test("E01: a view reports an error of its own; without a boundary nothing happens")
  func reporting() {
    World.run(.further) { world in
      let (drawn, retry) = (Drawn(), Retry())
      let alone = world.mount(Reporting(drawn: drawn, retry: retry))
      retry.action?()
      world.advance(0)
      #expect(drawn.take() == ["content"])
      alone.unmount()
      let mounted = world.mount(
        Reporting(drawn: drawn, retry: retry).errorBoundary { error, _ in drawn("\(error)") }
      )
      retry.action?()
      world.advance(0)
      #expect(drawn.take() == ["content", "Minor()"])
      mounted.unmount()
    }
  }
}
