/// Decides whether a view is shown, by the appearances that are reported.
///
/// Systems differ in their reports about content that branches or is empty: one appearance for each
/// of its views or one for all, new ones before or after the end of the former ones, and none for
/// empty content. So appearances are counted, and content without any is hidden at the end of the
/// turn.
///
/// Content that becomes empty gives the same reports as content that is hidden. So each change that
/// views hear of begins a *doubt*, which lasts for one to three seconds or until a view appears:
///
/// | when all has disappeared | it is taken for |
/// |---|---|
/// | without a doubt | hidden |
/// | in the turn in which a reader first reads the change | empty: it stays shown |
/// | later in the doubt | nothing until the doubt ends, and then for hidden |
///
/// The second row is wrong for a view that is left in that very turn, which costs requests until
/// the view is back. The opposite would leave empty content empty for good.
///
/// The third row is for a view that is left soon after a change, and for content that a change
/// removes with an animation, because reports do not tell the two apart. It assumes the former,
/// which is frequent: otherwise each row that is scrolled past when its data has just come would
/// cause requests. Content that was removed with an animation and stays empty is observed again,
/// for the length of a doubt, when the view is drawn next.
struct PresenceMachine: Equatable {
  enum Stage: Equatable {
    /// No view has appeared yet.
    case unseen
    case shown
    case hidden
  }

  /// Whether a change may have emptied the content.
  private enum Doubt: Equatable {
    case none
    /// Views were told of a change.
    case told
    /// A view has read the change in this turn.
    case read
    /// All views have disappeared since the change, in a later turn.
    case gone
    /// All views have disappeared, so the content was hidden, and then it was drawn again.
    case shownAgain
  }

  /// The next action.
  enum Step: Equatable {
    case nothing
    /// Wait for the end of this turn.
    case awaitEndOfTurn
    /// Wait until the present change cannot remove content any more.
    case awaitEndOfDoubt
    /// The stage has changed.
    case changed
    /// The stage has changed; also wait for the end of the doubt.
    case changedInDoubt
  }

  private(set) var stage = Stage.unseen
  private var count = 0
  /// The doubt.
  ///
  /// If the content is hidden and the doubt is `gone`, the content was hidden because the doubt
  /// ended.
  private var doubt = Doubt.none
  private var awaitsEndOfTurn = false
  private var awaitsEndOfDoubt = false
  /// Whether another change came during that wait.
  private var isDoubtRenewed = false

  /// Readers are told of a change.
  mutating func changed() -> Step {
    // Content that has not appeared cannot disappear.
    guard count > 0 else { return .nothing }
    if doubt != .read { doubt = .told }
    return endOfDoubt() ? .awaitEndOfDoubt : .nothing
  }

  /// A reader reads the change, as the first one.
  mutating func changeWasRead() -> Step {
    guard doubt == .told else { return .nothing }
    doubt = .read
    return endOfTurn()
  }

  /// The doubt has ended: the change that began it cannot remove content any more.
  mutating func doubtEnded() -> Step {
    guard !isDoubtRenewed else {
      isDoubtRenewed = false
      return .awaitEndOfDoubt
    }
    awaitsEndOfDoubt = false
    switch doubt {
    // If the change was read in this turn, the end of the turn decides.
    case .none, .read: return .nothing
    case .told:
      doubt = .none
      return .nothing
    case .gone:
      guard stage != .hidden else { return .nothing }
      stage = .hidden
      return .changed
    case .shownAgain:
      // This happens only once: otherwise hidden content that is often drawn would cause requests
      // again and again.
      doubt = .none
      stage = .hidden
      return .changed
    }
  }

  /// The content is drawn, and not because it is shown or hidden.
  mutating func drawn() -> Step {
    // Systems seldom draw hidden content, so the content may be shown.
    guard stage == .hidden, doubt == .gone else { return .nothing }
    stage = .shown
    doubt = .shownAgain
    return endOfDoubt() ? .changedInDoubt : .changed
  }

  /// A view of the content has appeared.
  mutating func appeared() -> Step {
    count += 1
    doubt = .none
    guard stage != .shown else { return .nothing }
    stage = .shown
    return .changed
  }

  /// A view of the content has disappeared.
  mutating func disappeared() -> Step {
    // Appearances and disappearances need not come in pairs.
    count = max(0, count - 1)
    return count == 0 && stage != .hidden ? endOfTurn() : .nothing
  }

  /// The turn is over.
  mutating func turnEnded() -> Step {
    // The turn may have ended for another object. This one is told once for each of its waits.
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

  /// Whether to wait for the end of a doubt.
  private mutating func endOfDoubt() -> Bool {
    isDoubtRenewed = awaitsEndOfDoubt
    awaitsEndOfDoubt = true
    return !isDoubtRenewed
  }

  /// Whether the content observes.
  ///
  /// - Parameter period: The period of observation.
  /// - Returns: Whether it observes.
  func observes(_ period: ObservationPeriod) -> Bool {
    switch (period, stage) {
    case (.always, _), (_, .shown), (.onRender, .unseen): true
    case (.onRender, .hidden), (.onAppear, .unseen), (.onAppear, .hidden): false
    }
  }
}
