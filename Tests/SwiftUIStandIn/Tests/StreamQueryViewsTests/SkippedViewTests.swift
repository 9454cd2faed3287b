import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

// How often SwiftUI evaluates a body is not documented, so this is of the stand-in only.
#if !canImport(Darwin)
/// Views that are equal to what they were are skipped, where that is so, also if they have queries.
@MainActor
struct SkippedViewTests {
  private struct Root<Leaf: View>: View {
    let switches: Switches
    let drawn: Drawn
    let leaf: Leaf
    var body: some View {
      drawn("\(switches.count)")
      leaf
    }
  }

  /// Draws a view again and again.
  ///
  /// - Returns: How often what is in it was drawn.
  private func count<Leaf: View>(
    _ world: World,
    _ leaf: Leaf,
    of drawn: Drawn
  ) -> Int {
    let (switches, root) = (Switches(), Drawn())
    let mounted = world.mount(Root(switches: switches, drawn: root, leaf: leaf))
    for _ in 0..<10 {
      switches.count += 1
      world.advance(0)
    }
    #expect(root.lines.last == "10")
    mounted.unmount()
    return drawn.lines.count
  }

  private struct Leaf: View {
    let drawn: Drawn
    var body: some View { drawn("leaf") }
  }

  @Test("an equal view below a client is skipped where the stand-in skips, and only there")
  func belowAClient() {
    World.run { world in
      let drawn = Drawn()
      let count = count(world, Leaf(drawn: drawn), of: drawn)
      #expect(count == (world.behaviour.skipsEqualViews ? 1 : 11))
    }
  }

  private struct Animated<Reader: View>: View {
    let switches: Switches
    let reader: Reader
    let root: Drawn
    var body: some View {
      root("\(switches.count)")
      // Not made here: what a property wrapper holds may be compared or not.
      reader
        .queryAnimation(switches.isOn ? .default : .linear(duration: 1))
    }
  }

  /// Reads the surroundings, as each property wrapper does.
  private struct Reader: View {
    @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
    let drawn: Drawn
    var body: some View { drawn("\(queryEnvironment.context != nil)") }
  }

  @Test("what is below an animation is not drawn again because its place is")
  func belowAnAnimation() {
    World.run { world in
      let (switches, drawn, root) = (Switches(), Drawn(), Drawn())
      let reader = Reader(drawn: drawn)
      let mounted = world.mount(Animated(switches: switches, reader: reader, root: root))
      for count in 1...10 {
        switches.count = count
        // Another animation is taken all the same.
        switches.isOn = count % 2 == 0
        world.advance(0)
      }
      #expect(root.lines.last == "10")
      #expect(drawn.lines.count == (world.behaviour.skipsEqualViews ? 1 : 11))
      mounted.unmount()
    }
  }

  /// Says what its query shows, and by which animation.
  private struct Live: View {
    let drawn: Drawn
    @LiveQuery<String> var item

    init(_ query: Query<String>, _ drawn: Drawn) {
      self.drawn = drawn
      _item = LiveQuery(query)
    }

    var body: some View {
      let (text, drawn) = (item.text, drawn)
      SwiftUI.Text(verbatim: text).transaction {
        let name =
          switch $0.animation {
          case .default: " as usual"
          case .linear(duration: 1): " quickly"
          default: ""
          }
        _ = drawn(text + name)
      }
    }
  }

  @Test("a view with a query below an animation is skipped, and has the animation of each drawing")
  func aQueryBelowAnAnimation() {
    World.run { world in
      let (switches, drawn, root) = (Switches(), Drawn(), Drawn())
      let shown = query("a", fetch("A"))
      let reader = Live(shown, drawn)
      let mounted = world.mount(Animated(switches: switches, reader: reader, root: root))
      world.advance(30)
      #expect(drawn.take() == ["-", "A as usual"])
      for count in 1...10 {
        switches.count = count
        switches.isOn = count % 2 == 0
        world.advance(0)
      }
      #expect(root.lines.last == "10")
      #expect(drawn.take().count == (world.behaviour.skipsEqualViews ? 0 : 10))
      for isOn in [false, true] {
        switches.isOn = isOn
        world.advance(0)
        _ = drawn.take()
        world.client.setData("\(isOn)", for: shown)
        world.advance(0)
        #expect(drawn.take() == [isOn ? "true as usual" : "false quickly"])
      }
      mounted.unmount()
    }
  }
}
#endif
