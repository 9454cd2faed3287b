/// Decides whether a view observes, from what happens to it.
///
/// Views are drawn before they appear, and may be drawn while they are hidden. Neither appearance
/// nor disappearance need come in pairs.
struct VisibilityMachine: Equatable {
  private enum Stage {
    case new, drawn, visible, hidden
  }

  private var stage = Stage.new
  private var period = ObservationPeriod.onRender

  /// The view was drawn.
  mutating func drawn(_ period: ObservationPeriod) {
    self.period = period
    if stage == .new { stage = .drawn }
  }

  mutating func appeared() { stage = .visible }

  mutating func disappeared() { stage = .hidden }

  var observes: Bool {
    switch (period, stage) {
    case (_, .new): false
    case (.always, _), (_, .visible), (.onRender, .drawn): true
    case (.onRender, .hidden), (.onAppear, .drawn), (.onAppear, .hidden): false
    }
  }
}
