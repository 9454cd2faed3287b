import Testing

@testable import StreamQueryUI

struct PresenceMachineTests {
  private enum Fact: CaseIterable {
    case appeared, disappeared, changed, changedSlowly, drawnAgain, doubtEnded
  }

  private static func tell(_ fact: Fact, to machine: inout PresenceMachine) -> PresenceMachine.Step
  {
    switch fact {
    case .appeared: return machine.appeared()
    case .disappeared: return machine.disappeared()
    case .changed: return machine.drawnAnew(isAnimated: false)
    case .changedSlowly: return machine.drawnAnew(isAnimated: true)
    case .doubtEnded: return machine.doubtEnded()
    case .drawnAgain:
      machine.drawnAgain()
      return .nothing
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
    #expect(machine(after: [.appeared], [.disappeared, .appeared]).stage == .shown)
    #expect(machine(after: [.appeared], [.appeared, .disappeared]).stage == .shown)
    // The removed branch disappears when its animation is over.
    #expect(
      machine(after: [.appeared], [.changedSlowly, .appeared], [.disappeared]).stage == .shown
    )
  }

  @Test func theLastOfSeveralViewsHides() {
    #expect(machine(after: [.appeared, .appeared], [.disappeared]).stage == .shown)
    #expect(machine(after: [.appeared, .appeared], [.disappeared, .disappeared]).stage == .hidden)
    #expect(
      machine(after: [.appeared, .appeared], [.disappeared], [.disappeared]).stage == .hidden
    )
    #expect(machine(after: [.appeared], [.disappeared], [.appeared]).stage == .shown)
  }

  @Test func contentThatEmptiesWithAChangeIsNotHidden() {
    #expect(machine(after: [.appeared], [.changed, .disappeared]).stage == .shown)
    #expect(machine(after: [.appeared], [.changedSlowly], [.disappeared]).stage == .shown)
    // It has changed, and was hidden later.
    #expect(machine(after: [.appeared], [.changed], [.disappeared]).stage == .hidden)
    #expect(
      machine(after: [.appeared], [.changedSlowly], [.drawnAgain, .disappeared]).stage == .hidden
    )
    // It was empty, shows something again, and is hidden.
    #expect(
      machine(after: [.appeared], [.changed, .disappeared], [.appeared], [.disappeared]).stage
        == .hidden
    )
  }

  @Test func whatDisappearsLongAfterAnAnimatedChangeIsHidden() {
    #expect(
      machine(after: [.appeared], [.changedSlowly], [.doubtEnded], [.disappeared]).stage == .hidden
    )
    // A change of another kind does not end the animation.
    #expect(
      machine(after: [.appeared], [.changedSlowly], [.changed], [.disappeared]).stage == .shown
    )
    // What has been taken for empty is not hidden by time.
    #expect(
      machine(after: [.appeared], [.changedSlowly], [.disappeared], [.doubtEnded]).stage == .shown
    )
  }

  @Test func animatedChangesThatFollowEachOtherHaveOneWait() {
    var machine = machine(after: [.appeared])
    let steps = [
      machine.drawnAnew(isAnimated: true), machine.drawnAnew(isAnimated: true),
      machine.doubtEnded(), machine.drawnAnew(isAnimated: false), machine.doubtEnded(),
      machine.drawnAnew(isAnimated: true),
    ]
    #expect(
      steps == [
        .awaitEndOfDoubt, .nothing, .awaitEndOfDoubt, .nothing, .nothing, .awaitEndOfDoubt,
      ]
    )
  }

  @Test func eachTurnIsAwaitedOnce() {
    var machine = machine(after: [.appeared, .appeared])
    let steps = [
      machine.disappeared(), machine.disappeared(), machine.disappeared(), machine.turnEnded(),
      machine.appeared(), machine.drawnAnew(isAnimated: false), machine.disappeared(),
      machine.turnEnded(),
    ]
    #expect(
      steps == [
        .nothing, .awaitEndOfTurn, .nothing, .changed, .changed, .awaitEndOfTurn, .nothing,
        .nothing,
      ]
    )
  }

  @Test func periodsSayWhatAStageObserves() {
    func observed(_ machine: PresenceMachine) -> [Bool] {
      [.always, .onRender, .onAppear].map { machine.observes($0) }
    }
    #expect(observed(machine(after: [])) == [true, true, false])
    #expect(observed(machine(after: [.appeared])) == [true, true, true])
    #expect(observed(machine(after: [.appeared], [.disappeared])) == [true, false, false])
    // Without an appearance before.
    #expect(observed(machine(after: [.disappeared])) == [true, false, false])
  }

  @Test("whatever comes, an appearance shows, a turn ends, and only the end of a turn hides")
  func everySequence() {
    // Whatever was before: what disappears with no doubt left ends hidden.
    func endsHidden(_ machine: PresenceMachine, awaits: Bool, trace: [String]) {
      var machine = machine
      if awaits { _ = machine.turnEnded() }
      _ = machine.appeared()
      if machine.doubtEnded() == .awaitEndOfDoubt { _ = machine.doubtEnded() }
      var isAwaited = false
      // As many as the trace can have brought.
      for _ in 0...7 where machine.disappeared() == .awaitEndOfTurn { isAwaited = true }
      #expect(isAwaited && machine.turnEnded() == .changed, "\(trace)")
      #expect(machine.stage == .hidden, "\(trace)")
    }
    func go(_ machine: PresenceMachine, awaits: Bool, depth: Int, trace: [String]) {
      endsHidden(machine, awaits: awaits, trace: trace)
      guard depth > 0 else { return }
      for fact in Fact.allCases {
        var next = machine
        let step = Self.tell(fact, to: &next)
        let trace = trace + ["\(fact)"]
        if fact == .appeared { #expect(next.stage == .shown, "\(trace)") }
        if next.stage == .hidden { #expect(machine.stage == .hidden, "\(trace)") }
        #expect((step == .changed) == (next.stage != machine.stage), "\(trace)")
        #expect(step != .awaitEndOfTurn || !awaits, "\(trace)")
        go(next, awaits: awaits || step == .awaitEndOfTurn, depth: depth - 1, trace: trace)
      }
      guard awaits else { return }
      var next = machine
      let step = next.turnEnded()
      #expect((step == .changed) == (next.stage != machine.stage), "\(trace)")
      #expect(step != .awaitEndOfTurn, "\(trace)")
      go(next, awaits: false, depth: depth - 1, trace: trace + ["turn ended"])
    }
    go(PresenceMachine(), awaits: false, depth: 6, trace: [])
  }
}
