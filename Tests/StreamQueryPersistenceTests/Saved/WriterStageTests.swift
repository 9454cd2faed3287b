import Testing

@testable import StreamQueryPersistence

@Suite("How far the work on a store is") struct WriterStageTests {
  enum Input: CaseIterable {
    case ended, erased, resumed, wrote, wroteLast, failed, failedLast

    func apply(to stage: inout WriterStage) {
      switch self {
      case .ended: _ = stage.ended(isErased: false)
      case .erased: _ = stage.ended(isErased: true)
      case .resumed: stage.resumed()
      case .wrote: stage.wrote(nil, isLast: false)
      case .wroteLast: stage.wrote(nil, isLast: true)
      case .failed: stage.wrote(.denied, isLast: false)
      case .failedLast: stage.wrote(.denied, isLast: true)
      }
    }
  }

  private func name(_ stage: WriterStage) -> String {
    let error = stage.error == nil ? "" : " with an error"
    return switch stage {
    case .running: "running" + error
    case .ending: "ending" + error
    case .over: "over" + error
    case .erased: "erased" + error
    }
  }

  /// What each input makes of each stage, in the order of the inputs.
  private let table = [
    "running": ["ending", "erased", "running", "running", "running", "running", "running"],
    "ending": [
      "ending", "erased", "ending", "ending", "over", "ending with an error", "over with an error",
    ],
    "ending with an error": [
      "ending with an error", "erased", "ending with an error", "ending", "over",
      "ending with an error",
      "over with an error",
    ],
    "over": [
      "over", "erased", "ending", "ending", "over", "ending with an error", "over with an error",
    ],
    "over with an error": [
      "over with an error", "erased", "ending with an error", "ending", "over",
      "ending with an error",
      "over with an error",
    ],
    "erased": ["erased", "erased", "erased", "erased", "erased", "erased", "erased"],
  ]

  @Test("each input does in each stage what the table says, and nothing else comes of it")
  func everyStage() {
    var found = ["running": WriterStage.running]
    var frontier = [WriterStage.running]
    while let stage = frontier.popLast() {
      let row = table[name(stage)] ?? []
      for (input, expected) in zip(Input.allCases, row) {
        var next = stage
        input.apply(to: &next)
        expectEqual(name(next), expected, "\(input) in \(name(stage))")
        expect(next.hasEnded || !stage.hasEnded)
        expect(next.isErased || !stage.isErased)
        expect(next.hasEnded || !next.isOver)
        if found.updateValue(next, forKey: name(next)) == nil { frontier.append(next) }
      }
    }
    expectEqual(Set(found.keys), Set(table.keys))
  }

  @Test("only the first end is told apart")
  func firstEnd() {
    for isErased in [false, true] {
      var stage = WriterStage.running
      let ends = [isErased, false, true].map { stage.ended(isErased: $0) }
      expectEqual(ends, [true, false, false])
    }
  }
}
