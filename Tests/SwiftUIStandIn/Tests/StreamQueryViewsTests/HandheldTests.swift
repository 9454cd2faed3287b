import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

private struct User: Hashable, Sendable {
  var name: String
}

/// Objects that a view holds itself, and options that come together.
@MainActor
struct HandheldTests {
  private struct Create: View {
    @Environment(\.queryClient) private var client
    @State private var create = ObservedMutation(
      Mutation("create") { (name: String) in User(name: name) }
    )
    var body: some View {
      Button("Create") {
        create.follow(using: client)
        create.run("Ada")
      }
      .disabled(create.isPending)
      Text(create.output?.name ?? "\(create.status)")
    }
  }

  @Test("U05: a mutation in the state of a view runs with the client of the environment")
  func mutation() {
    World.run(.further) { world in
      let screen = world.show(Create())
      #expect(screen.texts == ["idle"] && screen.buttons == ["Create"])
      screen.tap("Create")
      world.advance(1)
      #expect(screen.texts == ["Ada"] && screen.buttons == ["Create"])
      #expect(world.client.mutations(.all).count == 1)
      screen.unmount()
    }
  }

  private struct Letters: View {
    @LivePagination<String, Character, String>
    private var found: ObservedPagination<String, Character, String>

    init(_ fetch: ScriptedFetch<String>) {
      let pagination = Pagination(input: "names", initialPage: Character("a")) { page in
        page == "a" ? "b" : "c"
      } previousPage: { page in
        page == "c" ? "b" : "a"
      } canMoveToPreviousPage: {
        $0 != "a"
      }
      _found = LivePagination(pagination) { input, page in
        Query(key: QueryKey(input, String(page)), fetch: fetch)
      }
    }

    var body: some View {
      Text("\(found.page) \(found.query.data ?? "-")")
      Button("Previous") { found.moveToPreviousPage() }.disabled(!found.canMoveToPreviousPage)
      Button("Next") { found.moveToNextPage() }
    }
  }

  @Test("W02, I13: pages of any kind follow each other as the view says")
  func pages() {
    World.run(.further) { world in
      let screen = world.show(Letters(fetch("A", "B", "A again")))
      world.advance(30)
      #expect(screen.texts == ["a A"] && screen.buttons == ["Next"])
      screen.tap("Next")
      world.advance(30)
      #expect(screen.texts == ["b B"] && screen.buttons == ["Next", "Previous"])
      screen.tap("Previous")
      world.advance(0)
      #expect(screen.texts == ["a A"] && screen.buttons == ["Next"])
      screen.unmount()
      world.advance(1001)
    }
  }

  private struct NameView: View {
    let fetch: ScriptedFetch<User>
    @LiveSelection(select: { (user: User) in user.name }) private var name

    var body: some View {
      Group {
        if let name = name.data { Text(name) } else { ProgressView() }
      }
      .query($name, Query(key: "user", fetch: fetch).retry(0).throwOnError(.always))
    }
  }

  @Test("W04: one wrapper selects, and throws every error to the boundary around its view")
  func selectionThatThrows() {
    World.run(.further) { world in
      let fetch = ScriptedFetch<User>(
        .failure(Fatal(), after: .milliseconds(30)),
        .value(User(name: "Ada"), after: .milliseconds(30))
      )
      let screen = world.show(
        NameView(fetch: fetch).errorBoundary { error, retry in
          Text("\(error)")
          Button("Try again", action: retry)
        }
      )
      #expect(screen.texts == ["…"])
      world.advance(30)
      #expect(screen.texts == ["Fatal()"])
      screen.tap("Try again")
      world.advance(0)
      #expect(screen.texts == ["…"])
      world.advance(30)
      #expect(screen.texts == ["Ada"] && fetch.callCount == 2)
      screen.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }

  private struct Batch: View {
    @LiveQueries private var batch: ObservedQueries
    let gesture: Gesture
    init(_ queries: [AnyQuery], _ gesture: Gesture) {
      _batch = LiveQueries(queries)
      self.gesture = gesture
    }
    var body: some View {
      Pulled(gesture: gesture).refreshable(batch)
      Text("\(batch.errors.count) \(batch.isFetching)")
    }
  }
  private struct Pulled: View {
    @Environment(\.refresh) private var refresh
    let gesture: Gesture
    var body: some View {
      let _ = gesture.refresh = refresh
      SwiftUI.Text(verbatim: "pull")
    }
  }
  @MainActor
  private final class Gesture { var refresh: RefreshAction? }

  @Test("E02, G05: a list of a view reports to the boundary around it, and is pulled as a whole")
  func lists() {
    World.run(.further) { world in
      let fetches = [
        fetch("A", "A2"),
        ScriptedFetch<String>(
          .value("B", after: .milliseconds(40)),
          .failure(Minor(), after: .milliseconds(40)),
          .failure(Fatal(), after: .milliseconds(40))
        ),
      ]
      let queries = ["a", "b"].enumerated().map { index, name in
        AnyQuery(query(name, fetches[index]).throwOnError(.when { $0 is Fatal }))
      }
      let gesture = Gesture()
      let screen = world.show(
        Batch(queries, gesture).errorBoundary { error, _ in Text("boundary: \(error)") }
      )
      world.advance(40)
      #expect(screen.texts == ["0 false"])
      var isDone = false
      Task {
        await gesture.refresh?()
        isDone = true
      }
      world.advance(39)
      #expect(!isDone && screen.texts == ["0 true"])
      world.advance(1)
      #expect(isDone && screen.texts == ["1 false"])
      Task { await gesture.refresh?() }
      world.advance(40)
      #expect(screen.texts == ["boundary: Fatal()"])
      screen.unmount()
      gesture.refresh = nil
      world.advance(0)
      #expect(world.observers == 0)
    }
  }
}
