import Testing

@testable import StreamQueryUI

struct SceneMachineTests {
  @Test("an app is looked at while any of its scenes is, and until the first says otherwise")
  func anyScene() {
    var machine = SceneMachine<Int>()
    expect(machine.isActive)
    let answers = [
      (1, true), (1, true), (2, true), (1, false), (2, false), (2, false), (3, false), (1, true),
    ].map { machine.changed($0, isForeground: $1) }
    expectEqual(answers, [nil, nil, nil, nil, false, nil, nil, true])
  }

  @Test("a scene that has not been in the foreground says nothing, so a launch is no return")
  func launch() {
    var machine = SceneMachine<Int>()
    let answers = [(1, false), (1, false), (1, true), (2, false), (1, false), (2, true)].map {
      machine.changed($0, isForeground: $1)
    }
    expectEqual(answers, [nil, nil, nil, nil, false, true])
  }
}
