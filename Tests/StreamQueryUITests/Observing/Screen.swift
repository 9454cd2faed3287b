import Observation

/// Draws as a view does: reads under tracking, and draws again in a later job after a change.
@MainActor
final class Screen<Frame> {
  private(set) var frames: [Frame] = []
  private let body: @MainActor () -> Frame

  init(_ body: @escaping @MainActor () -> Frame) {
    self.body = body
    draw()
  }

  private func draw() {
    let frame = withObservationTracking {
      body()
    } onChange: { [weak self] in
      Task { @MainActor in self?.draw() }
    }
    frames.append(frame)
  }
}
