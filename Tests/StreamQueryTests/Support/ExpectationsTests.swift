import Testing

struct ExpectationsTests {
  /// Expects that a body on this line records an issue with a text there.
  private func issue(_ text: String, line: Int = #line, _ body: () -> Void) {
    withKnownIssue {
      body()
    } matching: { issue in
      issue.sourceLocation?.fileID == #fileID && issue.sourceLocation?.line == line
        && issue.comments.map(\.rawValue) == [text]
    }
  }

  @Test func aFailedExpectationShowsItsValues() {
    issue("1 is not 2") { expectEqual(1, 2) }
    issue("[1: \"a\"] is not [:]") { expectEqual([1: "a"], [:]) }
    issue("Optional(1) is not nil") { expectEqual(1, nil as Int?) }
    issue("1 is not nil") { expectNil(1) }
    issue("[3] is not empty") { expectEmpty([3]) }
    issue("the condition does not hold") { expect(1 > 2) }
  }

  @Test func itsCommentComesFirst() {
    issue("round 3: 1 is not 2") { expectEqual(1, 2, "round \(3)") }
    issue("round 3: the condition does not hold") { expect(false, "round 3") }
  }

  @Test func itIsRecordedWhereItsCallerSays() {
    let place = #_sourceLocation
    for expectation in 0..<4 {
      withKnownIssue {
        switch expectation {
        case 0: expectEqual(1, 2, sourceLocation: place)
        case 1: expectNil(1, sourceLocation: place)
        case 2: expectEmpty([1], sourceLocation: place)
        default: expect(false, sourceLocation: place)
        }
      } matching: { issue in
        issue.sourceLocation == place
      }
    }
  }

  @Test func whatHoldsRecordsNothing() {
    expectEqual([1, 2], [1, 2])
    expectEqual(1, Optional(1))
    expectNil(nil as Int?)
    expectEmpty([:] as [Int: Int])
    expect(true)
  }
}
