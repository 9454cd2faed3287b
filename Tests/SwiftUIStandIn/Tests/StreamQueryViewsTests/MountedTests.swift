import Observation
import StreamQuery
import SwiftUI
import Testing

/// What all other tests stand on, without a query: if one of these fails, theirs say nothing.
@MainActor
struct MountedTests {
  @MainActor @Observable
  final class Model {
    var text = "a"
    var isShown = true
  }

  private struct Shown: View {
    let model: Model
    let drawn: Drawn
    var body: some View {
      drawn(model.text)
        .onAppear { _ = drawn("appears") }
        .onDisappear { _ = drawn("disappears") }
    }
  }

  private struct Parent: View {
    let model: Model
    let drawn: Drawn
    var body: some View {
      VStack {
        if model.isShown { Shown(model: model, drawn: drawn) }
      }
    }
  }

  @Test("a mounted view is drawn and appears, and is drawn again when what it reads changes")
  func drawing() {
    World.run { world in
      let (model, drawn) = (Model(), Drawn())
      let mounted = world.mount(Parent(model: model, drawn: drawn))
      world.advance(0)
      #expect(drawn.take() == ["a", "appears"])
      model.text = "b"
      world.advance(0)
      #expect(drawn.take() == ["b"])
      mounted.unmount()
    }
  }

  @Test("a view that is removed disappears, and so does one whose window is closed")
  func disappearing() {
    World.run { world in
      let (model, drawn) = (Model(), Drawn())
      let mounted = world.mount(Parent(model: model, drawn: drawn))
      world.advance(0)
      model.isShown = false
      world.advance(0)
      model.isShown = true
      world.advance(0)
      #expect(drawn.take() == ["a", "appears", "disappears", "a", "appears"])
      mounted.unmount()
      world.advance(0)
      #expect(drawn.take() == ["disappears"])
    }
  }

  @Test("a button on the screen is found, tapped and does what it says")
  func tapping() {
    struct Counter: View {
      @State private var count = 0
      var body: some View {
        VStack {
          Text("\(count)")
          Button("Count") { count += 1 }
        }
      }
    }
    World.run { world in
      let screen = world.show(Counter())
      world.advance(0)
      screen.tap("Count")
      world.advance(0)
      #expect(screen.texts == ["1"] && screen.buttons == ["Count"])
      screen.unmount()
    }
  }
}
