import Testing

@testable import StreamQueryUI

struct LiveMachineTests {
  private enum Fact {
    case wrapper, modifier, nothing
  }

  private func steps(_ facts: Fact...) -> [LiveMachine.Step] {
    var machine = LiveMachine()
    return facts.map { fact in
      switch fact {
      case .wrapper: machine.asked(by: .wrapper)
      case .modifier: machine.asked(by: .modifier)
      case .nothing: machine.namedNothing()
      }
    }
  }

  @Test func aModifierIsHeardInPlaceOfTheWrapper() {
    expectEqual(
      steps(.wrapper, .modifier, .wrapper, .nothing, .modifier),
      [.tell, .tell, .nothing, .nothing, .tell]
    )
  }

  @Test func aWrapperThatNamesNothingAnyMoreIsForgottenOnce() {
    expectEqual(
      steps(.nothing, .wrapper, .nothing, .nothing, .wrapper, .nothing),
      [.nothing, .tell, .forget, .nothing, .tell, .forget]
    )
  }

  @Test func aWrapperThatIsNotHeardIsNamedTwiceForAsLongAsItNamesSomething() {
    var machine = LiveMachine()
    var answers: [Bool] = []
    for asker in [LiveMachine.Asker.wrapper, .modifier, .wrapper] {
      _ = machine.asked(by: asker)
      answers.append(machine.isNamedTwice)
    }
    _ = machine.namedNothing()
    answers.append(machine.isNamedTwice)
    expectEqual(answers, [false, true, true, false])
  }

  @Test func optionsAreWithdrawnAfterThereWereSome() {
    var machine = LiveMachine()
    let withdrawn = [false, true, true, false, false].map { machine.named(options: $0) }
    expectEqual(withdrawn, [false, false, false, true, true])
  }
}
