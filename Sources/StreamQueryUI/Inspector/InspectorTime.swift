#if canImport(SwiftUI)
internal import SwiftUI

/// Shows the selected moment, with controls to select another one.
struct InspectorTime: View {
  @Bindable var model: InspectorModel

  var body: some View {
    Text(model.momentText)
    if let loss = model.lossText { Text(loss) }
    // tvOS has no sliders.
    #if !os(tvOS)
    Slider(value: $model.progress, in: 0...1) { Text("Time") }
    #endif
    HStack {
      Button("Back") { model.stepBack() }
        .accessibilityLabel("Back to the events before")
      Button("Forward") { model.stepForward() }
        .accessibilityLabel("Forward to the next events")
        .disabled(model.screen.isFollowing)
      Button("Now") { model.follow() }
        .disabled(model.screen.isFollowing)
    }
    .buttonStyle(.borderless)
  }
}
#endif
