import Testing

@testable import StreamQueryUI

struct PresenceMachineTests {
  private enum Fact: CaseIterable {
    case appeared, disappeared, changed, read, doubtEnded, drawn
  }

  private static func tell(_ fact: Fact, to machine: inout PresenceMachine) -> PresenceMachine.Step
  {
    switch fact {
    case .appeared: machine.appeared()
    case .disappeared: machine.disappeared()
    case .changed: machine.changed()
    case .read: machine.changeWasRead()
    case .doubtEnded: machine.doubtEnded()
    case .drawn: machine.drawn()
    }
  }

  private func machine(after turns: [Fact]...) -> PresenceMachine {
    var machine = PresenceMachine()
    for turn in turns {
      let steps = turn.map { Self.tell($0, to: &machine) }
      if steps.contains(.awaitEndOfTurn) { _ = machine.turnEnded() }
    }
    return machine
  }

  @Test func branchesThatFollowEachOtherInATurnStayShown() {
    expectEqual(machine(after: [.appeared], [.disappeared, .appeared]).stage, .shown)
    expectEqual(machine(after: [.appeared], [.appeared, .disappeared]).stage, .shown)
    // The removed branch disappears when its animation is over.
    expectEqual(
      machine(after: [.appeared], [.changed], [.read, .appeared], [.disappeared]).stage,
      .shown
    )
  }

  @Test func theEndOfATurnThatNobodyAskedForChangesNothing() {
    var machine = PresenceMachine()
    _ = machine.appeared()
    _ = machine.changed()
    expect(machine.changeWasRead() == .awaitEndOfTurn && machine.disappeared() == .nothing)
    _ = machine.turnEnded()
    expect(machine.turnEnded() == .nothing && machine.stage == .shown)
  }

  @Test func theLastOfSeveralViewsHides() {
    expectEqual(machine(after: [.appeared, .appeared], [.disappeared]).stage, .shown)
    expectEqual(
      machine(after: [.appeared, .appeared], [.disappeared, .disappeared]).stage,
      .hidden
    )
    expectEqual(
      machine(after: [.appeared, .appeared], [.disappeared], [.disappeared]).stage,
      .hidden
    )
    expectEqual(machine(after: [.appeared], [.disappeared], [.appeared]).stage, .shown)
  }

  @Test func contentThatEmptiesWhenAChangeIsReadIsNotHidden() {
    expectEqual(machine(after: [.appeared], [.changed], [.read, .disappeared]).stage, .shown)
    // However much time passes, and also if that ends a doubt of before.
    expectEqual(
      machine(after: [.appeared], [.changed], [.read, .disappeared], [.doubtEnded], [.doubtEnded])
        .stage,
      .shown
    )
    expectEqual(
      machine(after: [.appeared], [.changed], [.read, .doubtEnded, .disappeared]).stage,
      .shown
    )
    // Several that read it are drawn together; another change comes meanwhile.
    expectEqual(
      machine(
        after: [.appeared, .appeared],
        [.changed],
        [.read, .changed, .disappeared, .disappeared]
      ).stage,
      .shown
    )
    // It was empty, shows something again, and is hidden.
    expectEqual(
      machine(
        after: [.appeared],
        [.changed],
        [.read, .disappeared],
        [.appeared],
        [.disappeared]
      ).stage,
      .hidden
    )
  }

  @Test func whatDisappearsLaterInTheDoubtIsHiddenWhenThatEnds() {
    let gone = machine(after: [.appeared], [.changed], [.read], [.disappeared])
    expectEqual(gone.stage, .shown)
    var hidden = gone
    expect(hidden.doubtEnded() == .changed && hidden.stage == .hidden)
    var back = gone
    expect(back.appeared() == .nothing && back.doubtEnded() == .nothing && back.stage == .shown)
    // Nobody has read the change.
    expectEqual(
      machine(after: [.appeared], [.changed], [.disappeared], [.doubtEnded]).stage,
      .hidden
    )
    // What changes while it is hidden does not put that off.
    expectEqual(
      machine(after: [.appeared], [.changed], [.disappeared], [.changed], [.read], [.doubtEnded])
        .stage,
      .hidden
    )
  }

  @Test func whatDisappearsWithoutADoubtIsHiddenAtOnce() {
    expectEqual(machine(after: [.appeared], [.read, .disappeared]).stage, .hidden)
    expectEqual(
      machine(after: [.appeared], [.changed], [.read], [.doubtEnded], [.disappeared]).stage,
      .hidden
    )
    // Something has appeared after the change: it is not empty.
    expectEqual(
      machine(after: [.appeared, .appeared], [.changed], [.read, .disappeared, .appeared])
        .stage,
      .shown
    )
    expectEqual(
      machine(after: [.appeared], [.changed], [.read, .appeared, .disappeared], [.disappeared])
        .stage,
      .hidden
    )
  }

  @Test func changesThatFollowEachOtherHaveOneWait() {
    var machine = machine(after: [.appeared])
    let steps = [
      machine.changed(), machine.changed(), machine.doubtEnded(), machine.doubtEnded(),
      machine.changed(), machine.changeWasRead(), machine.doubtEnded(), machine.turnEnded(),
      machine.changed(),
    ]
    expectEqual(
      steps,
      [
        .awaitEndOfDoubt, .nothing, .awaitEndOfDoubt, .nothing, .awaitEndOfDoubt, .awaitEndOfTurn,
        .nothing, .nothing, .awaitEndOfDoubt,
      ]
    )
  }

  @Test func eachTurnIsAwaitedOnce() {
    var machine = machine(after: [.appeared, .appeared])
    let steps = [
      machine.disappeared(), machine.disappeared(), machine.disappeared(), machine.turnEnded(),
      machine.appeared(), machine.changed(), machine.changeWasRead(), machine.changeWasRead(),
      machine.disappeared(), machine.turnEnded(),
    ]
    expectEqual(
      steps,
      [
        .nothing, .awaitEndOfTurn, .nothing, .changed, .changed, .awaitEndOfDoubt,
        .awaitEndOfTurn, .nothing, .nothing, .nothing,
      ]
    )
  }

  @Test func whatWasHiddenByTheEndOfADoubtIsShownForAWhileWhenItIsDrawn() {
    var machine = machine(after: [.appeared], [.changed], [.disappeared], [.doubtEnded])
    expect(machine.drawn() == .changedInDoubt && machine.stage == .shown)
    expectEqual(machine.drawn(), .nothing)
    var back = machine
    expect(machine.doubtEnded() == .changed && machine.stage == .hidden)
    // Once: what is hidden and drawn often asks its server no more.
    expect(machine.drawn() == .nothing && machine.stage == .hidden)
    expect(machine.appeared() == .changed && machine.stage == .shown)
    expectEqual(back.appeared(), .nothing)
    expect(back.doubtEnded() == .nothing && back.stage == .shown)
    // What is hidden for sure is not shown by a drawing.
    expect(machine.disappeared() == .awaitEndOfTurn && machine.turnEnded() == .changed)
    expect(machine.drawn() == .nothing && machine.stage == .hidden)
  }

  @Test func periodsSayWhatAStageObserves() {
    func observed(_ machine: PresenceMachine) -> [Bool] {
      [.always, .onRender, .onAppear].map { machine.observes($0) }
    }
    expectEqual(observed(machine(after: [])), [true, true, false])
    expectEqual(observed(machine(after: [.appeared])), [true, true, true])
    expectEqual(observed(machine(after: [.appeared], [.disappeared])), [true, false, false])
    // Without an appearance before.
    expectEqual(observed(machine(after: [.disappeared])), [true, false, false])
  }

  /// A machine, what is awaited, and what is known of the views besides.
  private struct Case {
    var machine = PresenceMachine()
    var awaitsTurn = false
    var awaitsDoubt = false
    var count = 0
    /// Whether readers were told of a change, and nothing has appeared since, and no doubt ended.
    var isToldOf = false
    var isReadInThisTurn = false
    /// Whether the content is to be taken for empty.
    var isEmpty = false
    var trace: [String] = []

    mutating func take(_ fact: Fact?) -> PresenceMachine.Step {
      let step: PresenceMachine.Step
      if let fact {
        step = PresenceMachineTests.tell(fact, to: &machine)
        trace.append("\(fact)")
      } else {
        if count == 0, isReadInThisTurn, machine.stage != .hidden { isEmpty = true }
        step = machine.turnEnded()
        trace.append("turn ended")
      }
      note(fact, step)
      switch step {
      case .awaitEndOfTurn:
        expect(!awaitsTurn, "\(trace)")
        awaitsTurn = true
      case .awaitEndOfDoubt, .changedInDoubt:
        expect(!awaitsDoubt, "\(trace)")
        awaitsDoubt = true
      case .nothing, .changed: break
      }
      return step
    }

    private mutating func note(_ fact: Fact?, _ step: PresenceMachine.Step) {
      switch fact {
      case .appeared:
        count += 1
        (isToldOf, isReadInThisTurn, isEmpty) = (false, false, false)
      case .disappeared:
        count = max(0, count - 1)
        // What is empty has nothing that could disappear: the view has.
        isEmpty = false
      case .changed: if count > 0 { isToldOf = true }
      case .read: if isToldOf { isReadInThisTurn = true }
      case .drawn: break
      case .doubtEnded:
        awaitsDoubt = false
        if step != .awaitEndOfDoubt, !isReadInThisTurn { isToldOf = false }
      case nil:
        awaitsTurn = false
        // What has disappeared can be read no more, and a doubt that ended in the turn is over.
        if count == 0 || !awaitsDoubt { isToldOf = false }
        isReadInThisTurn = false
      }
    }

    /// Lets all turns and doubts end.
    mutating func settle() {
      for _ in 0..<4 {
        if awaitsTurn { _ = take(nil) }
        if awaitsDoubt { _ = take(.doubtEnded) }
      }
      expect(!awaitsTurn && !awaitsDoubt, "\(trace)")
    }
  }

  @Test("whatever comes, an appearance shows, only an end hides, and what is gone ends hidden")
  func everySequence() {
    func go(_ former: Case, depth: Int) {
      var settled = former
      settled.settle()
      if former.count > 0 {
        expectEqual(settled.machine.stage, .shown, "\(settled.trace)")
      } else if former.trace.contains("disappeared") {
        // Content is empty only if it has become so when a change was read.
        expectEqual(settled.machine.stage == .hidden, !settled.isEmpty, "\(settled.trace)")
      }
      // Without a change, what disappears is hidden.
      _ = settled.take(.appeared)
      for _ in 0..<settled.count { _ = settled.take(.disappeared) }
      settled.settle()
      expectEqual(settled.machine.stage, .hidden, "\(settled.trace)")
      guard depth > 0 else { return }
      for fact in Fact.allCases where fact != .doubtEnded || former.awaitsDoubt {
        var next = former
        let step = next.take(fact)
        check(former, next, step)
        if fact == .appeared { expectEqual(next.machine.stage, .shown, "\(next.trace)") }
        if fact != .doubtEnded, next.machine.stage == .hidden {
          expectEqual(former.machine.stage, .hidden, "\(next.trace)")
        }
        go(next, depth: depth - 1)
      }
      guard former.awaitsTurn else { return }
      var next = former
      let step = next.take(nil)
      check(former, next, step)
      go(next, depth: depth - 1)
    }
    func check(_ former: Case, _ next: Case, _ step: PresenceMachine.Step) {
      let isOther = next.machine.stage != former.machine.stage
      expectEqual(step == .changed || step == .changedInDoubt, isOther, "\(next.trace)")
    }
    go(Case(), depth: 7)
  }
}
