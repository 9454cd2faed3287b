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

  private struct Animated: View {
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
    @SwiftUI.Environment(\.surroundings) private var surroundings
    let drawn: Drawn
    var body: some View { drawn("\(surroundings.context != nil)") }
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
}
#endif
