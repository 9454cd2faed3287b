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
    var pacing = TriggerPacing(.off)
    expect(pacing.isOff)
    for second in 0..<3 {
      expect(pacing.heard(at: at(Double(second)), random: 1) == at(Double(second)))
      pacing.refetched(at: at(Double(second)))
    }
  }

  @Test func elementsWithinTheTimeAreDueAtItsEnd() {
    var pacing = TriggerPacing(.coalescing(.seconds(1)))
    expect(pacing.heard(at: at(5), random: 1) == at(5))
    expect(pacing.heard(at: at(5), random: 1) == nil, "the one that is due will do")
    pacing.refetched(at: at(5))
    expect(pacing.heard(at: at(5.2), random: 1) == at(6))
    expect(pacing.heard(at: at(5.4), random: 1) == nil)
    pacing.refetched(at: at(6))
    expect(pacing.heard(at: at(9), random: 1) == at(9))
  }

  @Test func eachIsDelayedByARandomPart() {
    var delays: Set<Int64> = []
    for random in 0..<100 as Range<UInt64> {
      var pacing = TriggerPacing(.spreading(over: .seconds(10)))
      let due = pacing.heard(at: at(5), random: random) ?? at(0)
      expect(due >= at(5) && due < at(15))
      delays.insert(due.nanoseconds)
    }
    expect(delays.count > 90)
  }

  @Test func aTimeWithoutAnEndHasOneRefetch() {
    var pacing = TriggerPacing(.coalescing(.seconds(Int64.max)))
    expect(pacing.heard(at: at(5), random: 1) == at(5))
    pacing.refetched(at: at(5))
    expect(pacing.heard(at: at(5_000), random: 1) == nil)
  }
}
