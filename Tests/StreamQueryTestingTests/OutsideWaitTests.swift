import Testing

@testable import StreamQueryTesting

struct OutsideWaitTests {
  @Test func onlyTheDriverOfASimulationThatStandsStillWaitsInVain() {
    let verdicts: [OutsideWait.Verdict] = [.none, .here, .elsewhere].flatMap { drive in
      [false, true].map { OutsideWait(drive: drive, isDriver: $0).verdict }
    }
    expectEqual(verdicts, [.watched, .hopeless, .inside, .inside, .watched, .watched])
  }

  /// What a watch answers to one look after the other.
  private func answers(_ looks: [(drives: Int, isDriven: Bool)]) -> [Bool] {
    var watch = OutsideWait.Watch(drives: 3)
    return looks.map { watch.looked(drives: $0.drives, isDriven: $0.isDriven) }
  }

  private let patience = OutsideWait.patience

  @Test func aWatchGivesUpAfterSeveralLooksInARowWithoutADrive() {
    let idle = Array(repeating: (3, false), count: patience)
    expectEqual(answers(idle), Array(repeating: false, count: patience - 1) + [true])
  }

  @Test(arguments: [(4, false), (3, true)])
  func aDriveBeginsTheWatchAnew(drives: Int, isDriven: Bool) {
    let before = Array(repeating: (3, false), count: patience - 1)
    let after = Array(repeating: (drives, false), count: patience)
    let found = answers(before + [(drives, isDriven)] + after)
    expectEqual(found, Array(repeating: false, count: found.count - 1) + [true])
  }
}
