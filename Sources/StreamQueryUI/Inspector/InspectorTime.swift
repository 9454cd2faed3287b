#if canImport(SwiftUI)
internal import SwiftUI

/// Selects the moment that is shown.
struct InspectorTime: View {
  @Bindable var model: InspectorModel

  var body: some View {
    Text(model.momentText)
    if let loss = model.lossText { Text(loss) }
    // That system has no sliders.
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
