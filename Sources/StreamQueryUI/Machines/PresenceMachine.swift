/// Decides whether a view is shown, from the reports of its appearances.
///
/// Systems differ in their reports about content that has branches or is empty:
///
/// - Some report an appearance of each view in the content, others one appearance for all views.
/// - When a branch changes, the new view appears before or after the former view disappears.
/// - Empty content has no appearance.
///
/// So appearances are counted, and content with a count of zero at the end of a turn is hidden.
///
/// Content that becomes empty gives the same reports as content that is hidden. So each change that is
/// reported to views begins a *doubt*, which lasts for one to three seconds or until a view appears:
///
/// | when all views have disappeared | the content counts as |
/// |---|---|
/// | without a doubt | hidden |
/// | in the turn in which a reader first reads the change | empty: it stays shown |
/// | in another turn of the doubt | shown until the doubt ends, and then as hidden |
///
/// The second row is wrong for a view that the user leaves in that very turn: it costs requests until the
/// view is back. The opposite decision would end the observation of content that a change has emptied, so it
/// would stay empty for good.
///
/// The third row is about a view that the user leaves soon after a change, and about content that a change
/// removes with an animation, because reports do not tell the two apart. The machine assumes the former,
/// which is frequent: otherwise each row that is scrolled past just after its data has come would cause
/// requests. Content that was removed with an animation and stays empty is observed again, for the length of
/// a doubt, when the view is next drawn.
struct PresenceMachine: Equatable {
  enum Stage: Equatable {
    /// No view has appeared yet.
    case unseen
    case shown
    case hidden
  }

  /// The state of a doubt: whether content whose views all disappear after a change is hidden or was emptied.
  private enum Doubt: Equatable {
    case none
    /// A change was reported to the views.
    case told
    /// A view has read the change in this turn.
    case read
    /// All views have disappeared after the change, but not in the turn in which a view first read the
    /// change.
    case gone
    /// All views have disappeared, the content counted as hidden, and then it was drawn again.
    case shownAgain
  }

  /// The wait for the end of the doubt, after which a reported change cannot remove content any more.
  private enum EndOfDoubt: Equatable {
    case none
    case awaited
    /// Another change was reported during the wait, so another wait follows this one.
    case renewed
  }

  /// The action that follows from a report.
  enum Step: Equatable {
    case nothing
    /// Wait for the end of this turn.
    case awaitEndOfTurn
    /// Wait until the last reported change cannot remove content any more.
    case awaitEndOfDoubt
    /// Report the new stage to the observed objects in the content.
    case changed
    /// Report the new stage to the observed objects in the content, and wait for the end of the doubt.
    case changedInDoubt
  }

  private(set) var stage = Stage.unseen
  private var count = 0
  /// The state of the doubt.
  ///
  /// If the value is `gone` and the content is hidden, the content became hidden because the doubt ended.
  private var doubt = Doubt.none
  private var awaitsEndOfTurn = false
  private var endOfDoubt = EndOfDoubt.none

  /// Notes that a change is reported to readers.
  mutating func changed() -> Step {
    // Content without an appearance cannot disappear.
    guard count > 0 else { return .nothing }
    if doubt != .read { doubt = .told }
    return beginDoubt() ? .awaitEndOfDoubt : .nothing
  }

  /// Notes that a reader reads the change for the first time.
  mutating func changeWasRead() -> Step {
    guard doubt == .told else { return .nothing }
    doubt = .read
    return endOfTurn()
  }

  /// Ends the doubt, because the last reported change cannot remove content any more.
  mutating func doubtEnded() -> Step {
    guard endOfDoubt != .renewed else {
      endOfDoubt = .awaited
      return .awaitEndOfDoubt
    }
    endOfDoubt = .none
    switch doubt {
    // After a read in this turn, the end of the turn decides.
    case .none, .read: return .nothing
    case .told:
      doubt = .none
      return .nothing
    case .gone:
      guard stage != .hidden else { return .nothing }
      stage = .hidden
      return .changed
    case .shownAgain:
      // The content is observed again only once: otherwise hidden content that is often drawn would cause
      // requests again and again.
      doubt = .none
      stage = .hidden
      return .changed
    }
  }

  /// Notes that the content is drawn for another reason than that it is shown or hidden.
  mutating func drawn() -> Step {
    // Systems seldom draw hidden content, so the content may be shown.
    guard stage == .hidden, doubt == .gone else { return .nothing }
    stage = .shown
    doubt = .shownAgain
    return beginDoubt() ? .changedInDoubt : .changed
  }

  /// Notes that a view of the content has appeared.
  mutating func appeared() -> Step {
    count += 1
    doubt = .none
    guard stage != .shown else { return .nothing }
    stage = .shown
    return .changed
  }

  /// Notes that a view of the content has disappeared.
  mutating func disappeared() -> Step {
    // The count is at least zero, because appearances and disappearances need not come in pairs.
    count = max(0, count - 1)
    return count == 0 && stage != .hidden ? endOfTurn() : .nothing
  }

  /// Decides at the end of the turn whether the content is hidden.
  mutating func turnEnded() -> Step {
    // The caller may also report the end of a turn that this machine does not wait for.
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
    case .read: doubt = isGone || endOfDoubt == .none ? .none : .told
    case .gone, .shownAgain: break
    }
    return .nothing
  }

  private mutating func endOfTurn() -> Step {
    guard !awaitsEndOfTurn else { return .nothing }
    awaitsEndOfTurn = true
    return .awaitEndOfTurn
  }

  /// Begins a doubt; returns whether a wait for its end has to begin.
  private mutating func beginDoubt() -> Bool {
    let begins = endOfDoubt == .none
    endOfDoubt = begins ? .awaited : .renewed
    return begins
  }

  /// Returns whether objects in the content observe at the present stage.
  ///
  /// - Parameter period: The rule for when content observes.
  /// - Returns: Whether they observe.
  func observes(_ period: ObservationPeriod) -> Bool {
    switch (period, stage) {
    case (.always, _), (_, .shown), (.onRender, .unseen): true
    case (.onRender, .hidden), (.onAppear, .unseen), (.onAppear, .hidden): false
    }
  }
}
