/// Decides whether what a modifier is around is shown, from the appearances that it is told of.
///
/// Systems differ in what they tell of content that branches or is empty: an appearance for each
/// of its views or one for all of them, the new ones before or after the end of the former, and
/// none for content that is empty. So appearances are counted, and what has disappeared is hidden
/// at the end of the turn, unless something has appeared by then.
///
/// Content that has become empty tells what hidden content tells. It is taken for empty if what it
/// shows has just changed: to observe a hidden view for longer costs requests, and to stop for one
/// that is only empty would leave it empty for good.
///
/// | | unseen | shown | hidden |
/// |---|---|---|---|
/// | appeared | shown | shown | shown |
/// | disappeared, and nothing appears in this turn | hidden | hidden, or shown if it has changed | hidden |
///
/// A change that may be animated is a doubt for a while: what it removes disappears later. What
/// disappears after that is hidden.
struct PresenceMachine: Equatable {
  enum Stage: Equatable {
    /// Nothing has appeared yet.
    case unseen
    case shown
    case hidden
  }

  /// Whether the content may be empty because of what it shows.
  private enum Doubt: Equatable {
    case none
    /// In this turn.
    case thisTurn
    /// An animated change: what it removes disappears when the animation is over.
    case forAWhile
  }

  /// What has to be done.
  enum Step: Equatable {
    case nothing
    /// Say when this turn is over.
    case awaitEndOfTurn
    /// Say when no animation of now can be running any more.
    case awaitEndOfDoubt
    /// The stage is another one.
    case changed
  }

  private(set) var stage = Stage.unseen
  private var count = 0
  private var doubt = Doubt.none
  private var awaitsEndOfTurn = false
  private var awaitsEndOfDoubt = false
  /// Whether there was another animated change during that wait.
  private var isDoubtRenewed = false

  /// It is drawn with something else than before.
  ///
  /// - Parameter isAnimated: Whether what it removes may disappear later.
  /// - Returns: What to do.
  mutating func drawnAnew(isAnimated: Bool) -> Step {
    // What has not appeared cannot disappear.
    guard count > 0 else { return .nothing }
    guard isAnimated else {
      // The animation of a former change may still be running.
      guard doubt != .forAWhile else { return .nothing }
      doubt = .thisTurn
      return endOfTurn()
    }
    doubt = .forAWhile
    guard !awaitsEndOfDoubt else {
      isDoubtRenewed = true
      return .nothing
    }
    awaitsEndOfDoubt = true
    return .awaitEndOfDoubt
  }

  /// No animation of when this was asked for can be running any more.
  mutating func doubtEnded() -> Step {
    guard !isDoubtRenewed else {
      isDoubtRenewed = false
      return .awaitEndOfDoubt
    }
    awaitsEndOfDoubt = false
    if doubt == .forAWhile { doubt = .none }
    return .nothing
  }

  /// It is drawn, and shows what it has shown before.
  mutating func drawnAgain() {
    if doubt == .forAWhile { doubt = .none }
  }

  /// One of its views has appeared.
  mutating func appeared() -> Step {
    count += 1
    doubt = .none
    guard stage != .shown else { return .nothing }
    stage = .shown
    return .changed
  }

  /// One of its views has disappeared.
  mutating func disappeared() -> Step {
    // They need not come in pairs.
    count = max(0, count - 1)
    return count == 0 && stage != .hidden ? endOfTurn() : .nothing
  }

  /// The turn is over.
  mutating func turnEnded() -> Step {
    awaitsEndOfTurn = false
    let isEmpty = doubt != .none
    if doubt == .thisTurn { doubt = .none }
    guard count == 0, stage != .hidden, !isEmpty else { return .nothing }
    stage = .hidden
    return .changed
  }

  private mutating func endOfTurn() -> Step {
    guard !awaitsEndOfTurn else { return .nothing }
    awaitsEndOfTurn = true
    return .awaitEndOfTurn
  }

  /// Whether it observes.
  ///
  /// - Parameter period: When it should.
  /// - Returns: Whether it does.
  func observes(_ period: ObservationPeriod) -> Bool {
    switch (period, stage) {
    case (.always, _), (_, .shown), (.onRender, .unseen): true
    case (.onRender, .hidden), (.onAppear, .unseen), (.onAppear, .hidden): false
    }
  }
}
