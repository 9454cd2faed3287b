import Testing

@testable import StreamQuery

@Suite struct TriggerPacingTests {
  // The calls change what they are made on, which the macro does not allow.
  private func expect(
    _ holds: Bool,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(holds, comment, sourceLocation: sourceLocation)
  }

  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64(seconds * 1_000_000_000))
  }

  @Test func withoutTermsEachElementIsDueAtOnce() {
    var pacing = TriggerPacing()
    for second in 0..<3 {
      let now = at(Double(second))
      expect(pacing.heard(.off, at: now, random: 1) == now)
      expect(pacing.takeDue(at: now))
    }
  }

  @Test func elementsWithinTheTimeAreDueAtItsEnd() {
    var pacing = TriggerPacing()
    let terms = RefetchPacing.coalescing(.seconds(1))
    expect(pacing.heard(terms, at: at(5), random: 1) == at(5))
    expect(pacing.heard(terms, at: at(5), random: 1) == nil, "the one that is due will do")
    expect(pacing.takeDue(at: at(5)))
    expect(!pacing.takeDue(at: at(5)), "once only")
    expect(pacing.heard(terms, at: at(5.2), random: 1) == at(6))
    expect(pacing.heard(terms, at: at(5.4), random: 1) == nil)
    expect(!pacing.takeDue(at: at(5.9)))
    expect(pacing.takeDue(at: at(6)))
    expect(pacing.heard(terms, at: at(9), random: 1) == at(9))
  }

  @Test func eachIsDelayedByARandomPart() {
    var delays: Set<Int64> = []
    for random in 0..<100 as Range<UInt64> {
      var pacing = TriggerPacing()
      let terms = RefetchPacing.spreading(over: .seconds(10))
      let due = pacing.heard(terms, at: at(5), random: random) ?? at(0)
      expect(due >= at(5) && due < at(15))
      delays.insert(due.nanoseconds)
      expect(pacing.heard(terms, at: at(5), random: random &+ 1) == nil)
    }
    expect(delays.count > 90)
  }

  @Test func aTimeWithoutAnEndHasOneRefetch() {
    var pacing = TriggerPacing()
    let terms = RefetchPacing.coalescing(.seconds(Int64.max))
    expect(pacing.heard(terms, at: at(5), random: 1) == at(5))
    expect(pacing.takeDue(at: at(5)))
    expect(pacing.heard(terms, at: at(5_000), random: 1) == nil)
  }

  @Test func anElementThatMayRefetchSoonerDoes() {
    var pacing = TriggerPacing()
    let (slow, fast) = (
      RefetchPacing.coalescing(.seconds(60)), RefetchPacing.coalescing(.seconds(2))
    )
    expect(pacing.heard(slow, at: at(1), random: 1) == at(1))
    expect(pacing.takeDue(at: at(1)))
    expect(pacing.heard(slow, at: at(2), random: 1) == at(61))
    expect(pacing.heard(fast, at: at(2), random: 1) == at(3))
    expect(pacing.heard(slow, at: at(2), random: 1) == nil)
    expect(pacing.takeDue(at: at(3)))
    expect(!pacing.takeDue(at: at(61)), "it was for the same")
  }
}
