import Testing

@testable import StreamQuery

struct TriggerPacingTests {
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

  /// When an element is due.
  private func due(
    _ pacing: inout TriggerPacing,
    _ terms: RefetchPacing,
    _ seconds: Double,
    random: UInt64 = 1
  ) -> Instant? {
    pacing.heard(terms, at: at(seconds), random: random)
    return pacing.due
  }

  @Test func withoutTermsEachElementIsDueAtOnce() {
    var pacing = TriggerPacing()
    for second in 0..<3 {
      expect(due(&pacing, .off, Double(second)) == at(Double(second)))
      expect(pacing.takeDue(at: at(Double(second))))
    }
  }

  @Test func elementsWithinTheTimeAreDueAtItsEnd() {
    var pacing = TriggerPacing()
    let terms = RefetchPacing.coalescing(.seconds(1))
    expect(due(&pacing, terms, 5) == at(5))
    expect(pacing.takeDue(at: at(5)))
    expect(!pacing.takeDue(at: at(5)), "once only")
    expect(due(&pacing, terms, 5.2) == at(6))
    expect(due(&pacing, terms, 5.4) == at(6), "the one that is due will do")
    expect(!pacing.takeDue(at: at(5.9)))
    expect(pacing.takeDue(at: at(6)))
    expect(due(&pacing, terms, 9) == at(9))
  }

  @Test func eachIsDelayedByARandomPart() {
    var delays: Set<Int64> = []
    for random in 0..<100 as Range<UInt64> {
      var pacing = TriggerPacing()
      let terms = RefetchPacing.spreading(over: .seconds(10))
      let first = due(&pacing, terms, 5, random: random) ?? at(0)
      expect(first >= at(5) && first < at(15))
      delays.insert(first.nanoseconds)
      expect(due(&pacing, terms, 5, random: random &+ 1) == first)
    }
    expect(delays.count > 90)
  }

  @Test func aTimeWithoutAnEndHasOneRefetch() {
    var pacing = TriggerPacing()
    let terms = RefetchPacing.coalescing(.seconds(Int64.max))
    expect(due(&pacing, terms, 5) == at(5))
    expect(pacing.takeDue(at: at(5)))
    expect(due(&pacing, terms, 5_000) == nil)
  }

  @Test func anElementThatMayRefetchSoonerDoes() {
    var pacing = TriggerPacing()
    let (slow, fast) = (
      RefetchPacing.coalescing(.seconds(60)), RefetchPacing.coalescing(.seconds(2))
    )
    expect(due(&pacing, slow, 1) == at(1))
    expect(pacing.takeDue(at: at(1)))
    expect(due(&pacing, slow, 2) == at(61))
    expect(due(&pacing, fast, 2) == at(3))
    expect(due(&pacing, slow, 2) == at(3))
    expect(pacing.takeDue(at: at(3)))
    expect(!pacing.takeDue(at: at(61)), "it was for the same")
  }

  @Test("a refetch whose time has passed unnoticed is made with the next element")
  func overdue() {
    var pacing = TriggerPacing()
    let terms = RefetchPacing.coalescing(.seconds(1))
    expect(due(&pacing, terms, 1) == at(1))
    expect(pacing.takeDue(at: at(1)))
    expect(due(&pacing, terms, 1.5) == at(2))
    expect(due(&pacing, terms, 9) == at(2))
    expect(pacing.takeDue(at: at(9)))
  }
}
