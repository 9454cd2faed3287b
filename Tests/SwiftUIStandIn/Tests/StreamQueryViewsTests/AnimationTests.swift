import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

/// In which transactions changes show.
@MainActor
struct AnimationTests {
  private static let slow = Animation.linear(duration: 2)
  private static let quick = Animation.linear(duration: 1)

  /// Says what was drawn, and by which animation.
  private struct Said: View {
    let text: String
    let drawn: Drawn
    var body: some View {
      let (text, drawn) = (text, drawn)
      SwiftUI.Text(verbatim: text).transaction {
        let name =
          switch $0.animation {
          case AnimationTests.slow: " slowly"
          case AnimationTests.quick: " quickly"
          default: ""
          }
        _ = drawn(text + name)
      }
    }
  }

  private struct Item: View {
    let drawn: Drawn
    @LiveQuery<String> var item
    init(
      _ query: Query<String>,
      _ drawn: Drawn,
      keepsPreviousData: Bool = false,
      animation: Animation? = nil
    ) {
      self.drawn = drawn
      _item = LiveQuery(query, keepsPreviousData: keepsPreviousData, animation: animation)
    }
    var body: some View { Said(text: item.text, drawn: drawn) }
  }

  @Test("what arrives is animated as the wrapper says; the first frame is not")
  func wrapper() {
    World.run { world in
      let drawn = Drawn()
      let shown = query("a", fetch("A"))
      let mounted = world.mount(Item(shown, drawn, animation: Self.slow))
      #expect(drawn.take() == ["-"])
      world.advance(30)
      #expect(drawn.take() == ["A slowly"])
      world.client.setData("B", for: shown)
      world.advance(0)
      #expect(drawn.take() == ["B slowly"])
      mounted.unmount()
    }
  }

  private struct Keyed: View {
    let switches: Switches
    let queries: [Query<String>]
    let drawn: Drawn
    var body: some View { Item(queries[switches.id], drawn, animation: AnimationTests.slow) }
  }

  @Test("another key shows in the transaction of who changed it, and its fetch is animated")
  func anotherKey() {
    World.run { world in
      let (switches, drawn) = (Switches(), Drawn())
      let queries = [query("0", fetch("0")), query("1", fetch("1")), query("2", fetch("2"))]
      world.client.setData("cached", for: queries[2])
      switches.id = 0
      let mounted = world.mount(Keyed(switches: switches, queries: queries, drawn: drawn))
      world.advance(30)
      #expect(drawn.take() == ["-", "0 slowly"])
      switches.id = 1
      world.advance(0)
      #expect(Set(drawn.take()) == ["-"])
      world.advance(30)
      #expect(drawn.take() == ["1 slowly"])
      withAnimation(Self.quick) { switches.id = 2 }
      world.advance(0)
      #expect(drawn.take().first == "cached quickly")
      world.advance(30)
      #expect(drawn.take().last == "2 slowly")
      mounted.unmount()
    }
  }

  private struct Mixed: View {
    let items: [Query<String>]
    let drawn: Drawn
    var body: some View {
      Group {
        Item(items[0], drawn)
        Item(items[1], drawn, animation: AnimationTests.quick)
        Item(items[2], drawn).queryAnimation(AnimationTests.quick)
        Item(items[3], drawn).queryAnimation(nil)
      }.queryTransaction(Transaction(animation: AnimationTests.slow))
      Item(items[4], drawn)
    }
  }

  @Test("surroundings say it for all in them: the nearest counts, and a wrapper before them")
  func queryEnvironment() {
    World.run { world in
      let drawn = Drawn()
      let items = (0..<5).map { query("\($0)", fetch("\($0)")) }
      let mounted = world.mount(Mixed(items: items, drawn: drawn))
      #expect(drawn.take() == ["-", "-", "-", "-", "-"])
      world.advance(30)
      #expect(drawn.take().sorted() == ["0 slowly", "1 quickly", "2 quickly", "3", "4"])
      mounted.unmount()
    }
  }

  @MainActor
  private final class Hands {
    var item: ObservedQuery<String>?
    var found: ObservedPagination<Int, Int, String>?
    var save: ObservedMutation<Int, String>?
  }

  private struct Kinds: View {
    let drawn: Drawn
    let hands: Hands
    let query: Query<String>
    @LiveQuery(animation: AnimationTests.slow) private var item: ObservedQuery<String>
    @LiveSelection(animation: AnimationTests.slow, select: { (text: String) in text.count })
    private var count: ObservedSelection<String, Int>
    @LiveQueries([AnyQuery(Query("b") { "B" })], animation: AnimationTests.slow) private var batch
    @LivePagination(Pagination(input: 0), animation: AnimationTests.slow, query: Kinds.page)
    private var found
    @LiveMutation(Mutation("m", perform: Kinds.save), animation: AnimationTests.slow)
    private var save

    init(_ query: Query<String>, _ drawn: Drawn, _ hands: Hands) {
      (self.query, self.drawn, self.hands) = (query, drawn, hands)
    }

    private nonisolated static func page(_ input: Int, _ page: Int) -> Query<String> {
      Query("page", page) { "P\(page)" }
    }
    private nonisolated static func save(_ input: Int) async throws -> String {
      try await ScriptedFetch(.value("saved \(input)", after: .milliseconds(5)))()
    }

    var body: some View {
      let _ = (hands.item, hands.found, hands.save) = (item, found, save)
      Said(text: "item \(item.text)", drawn: drawn).query($item, query)
      Said(text: "count \(count.text)", drawn: drawn).query($count, query)
      Said(text: "batch \(batch[QueryKey<String>("b")]?.data ?? "-")", drawn: drawn)
      Said(text: "found \(found.query.text)", drawn: drawn)
      Said(text: "save \(save.output ?? "\(save.status)")", drawn: drawn)
    }
  }

  @Test("every kind of wrapper animates what arrives, also one for which a modifier speaks")
  func everyKind() {
    World.run { world in
      let (drawn, hands) = (Drawn(), Hands())
      let mounted = world.mount(Kinds(query("a", fetch("A", "A2")), drawn, hands))
      #expect(
        drawn.take().prefix(5) == ["item -", "count -", "batch -", "found -", "save idle"]
      )
      world.advance(30)
      let lines = Set(drawn.take())
      #expect(lines.contains("item A slowly") && !lines.contains("item A"))
      hands.found?.moveToNextPage()
      world.advance(1)
      #expect(drawn.take().contains("found P2 slowly"))
      hands.save?.run(1)
      world.advance(5)
      #expect(drawn.take().last == "save saved 1 slowly")
      // A refetch whose end its caller sees before the delivery.
      Task { await hands.item?.refetch() }
      world.advance(30)
      #expect(drawn.take().contains("item A2 slowly"))
      (hands.item, hands.found, hands.save) = (nil, nil, nil)
      mounted.unmount()
      world.advance(0)
      #expect(world.observers == 0)
    }
  }
}
