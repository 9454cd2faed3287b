/// Decides whether a view is shown, from the appearances that it is told of.
///
/// Systems differ in what they tell of content that branches or is empty: an appearance for each
/// of its views or one for all of them, the new ones before or after the end of the former, and
/// none for content that is empty. So appearances are counted, and what has disappeared is hidden
/// at the end of the turn, unless something has appeared by then.
///
/// Content that has become empty tells what hidden content tells. So each change that readers are
/// told of is a doubt, for one to three seconds, unless something appears:
///
/// | when all has disappeared | it is taken for |
/// |---|---|
/// | without a doubt | hidden |
/// | in the turn in which a reader first reads what has changed | empty: it stays shown |
/// | later in the doubt | nothing until the doubt ends, and then for hidden |
///
/// The second row may be wrong for a view that is left in that very turn: it costs requests until
/// the view is back. To stop instead would leave empty content empty for good.
///
/// The third row is what is left soon after a change, or what a change removes with an animation:
/// one cannot be told from the other, as views animate changes that are not animated where they
/// come from. It is taken for the former, because that is frequent: each row that is scrolled past
/// when its data has just come would cause requests. Content that is removed so and stays empty for
/// longer is observed again, for as long as a doubt lasts, when the view is drawn next.
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
    /// Readers were told of a change.
    case told
    /// In this turn, one of them has read what has changed.
    case read
    /// All has disappeared since, in another turn.
    case gone
    /// So it has, and it was drawn after it was hidden for that.
    case shownAgain
  }

  /// The action that follows.
  enum Step: Equatable {
    case nothing
    /// Say when this turn is over.
    case awaitEndOfTurn
    /// Say when what changes now cannot remove anything any more.
    case awaitEndOfDoubt
    /// The stage is another one.
    case changed
    /// The stage is another one; say when the doubt is over as well.
    case changedInDoubt
  }

  private(set) var stage = Stage.unseen
  private var count = 0
  /// A hidden one that is gone was hidden because its doubt ended.
  private var doubt = Doubt.none
  private var awaitsEndOfTurn = false
  private var awaitsEndOfDoubt = false
  /// Whether there was another change during that wait.
  private var isDoubtRenewed = false

  /// Readers are told of a change.
  mutating func changed() -> Step {
    // What has not appeared cannot disappear.
    guard count > 0 else { return .nothing }
    if doubt != .read { doubt = .told }
    return endOfDoubt() ? .awaitEndOfDoubt : .nothing
  }

  /// A reader reads what it was told of, the first one to do so.
  mutating func changeWasRead() -> Step {
    guard doubt == .told else { return .nothing }
    doubt = .read
    return endOfTurn()
  }

  /// The change that was the reason for the doubt cannot remove anything any more.
  mutating func doubtEnded() -> Step {
    guard !isDoubtRenewed else {
      isDoubtRenewed = false
      return .awaitEndOfDoubt
    }
    awaitsEndOfDoubt = false
    switch doubt {
    // What is read is settled at the end of its turn.
    case .none, .read: return .nothing
    case .told:
      doubt = .none
      return .nothing
    case .gone:
      guard stage != .hidden else { return .nothing }
      stage = .hidden
      return .changed
    case .shownAgain:
      // Not again: what is hidden and drawn often would go on asking its server.
      doubt = .none
      stage = .hidden
      return .changed
    }
  }

  /// It is drawn, for another reason than that it is shown or hidden.
  mutating func drawn() -> Step {
    // Systems seldom draw what is hidden.
    guard stage == .hidden, doubt == .gone else { return .nothing }
    stage = .shown
    doubt = .shownAgain
    return endOfDoubt() ? .changedInDoubt : .changed
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
    // Others may have asked for it, too: what this one asked for was told once.
    guard awaitsEndOfTurn else { return .nothing }
    awaitsEndOfTurn = false
    let former = doubt
    let isGone = count == 0 && stage != .hidden
    switch former {
    case .none:
      guard isGone else { return .nothing }
      stage = .hidden
      return .changed
    case .told: if isGone { doubt = .gone }
    case .read: doubt = isGone || !awaitsEndOfDoubt ? .none : .told
    case .gone, .shownAgain: break
    }
    return .nothing
  }

  private mutating func endOfTurn() -> Step {
    guard !awaitsEndOfTurn else { return .nothing }
    awaitsEndOfTurn = true
    return .awaitEndOfTurn
  }

  /// Whether the end of a doubt has to be asked for.
  private mutating func endOfDoubt() -> Bool {
    isDoubtRenewed = awaitsEndOfDoubt
    awaitsEndOfDoubt = true
    return !isDoubtRenewed
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
