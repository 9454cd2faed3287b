import StreamQuery
import Testing

@testable import StreamQueryUI

struct ObservingMachineTests {
  fileprivate final class Client {}

  private enum Input: CaseIterable {
    case startA, startB, updateA, stop
  }

  /// Every sequence of a few inputs: it never begins twice, and ends what it began.
  @Test func everySequenceBeginsAndEndsInTurn() {
    let (a, b) = (Client(), Client())
    func walk(_ machine: ObservingMachine, _ observed: Client?, depth: Int) {
      guard depth > 0 else { return }
      for input in Input.allCases {
        var (machine, observed) = (machine, observed)
        func asked(_ client: Client, isOther: Bool) {
          let step = machine.asked(for: ObjectIdentifier(client), isOther: isOther)
          switch observed {
          case nil: expectEqual(step, .begin)
          case client?: expectEqual(step, isOther ? .change : .nothing)
          case _?: expectEqual(step, .beginAgain)
          }
          observed = client
        }
        switch input {
        case .startA: asked(a, isOther: false)
        case .startB: asked(b, isOther: false)
        case .updateA: asked(a, isOther: true)
        case .stop:
          expectEqual(machine.stopped(), observed == nil ? .nothing : .end)
          observed = nil
        }
        expectEqual(machine.isObserving, observed != nil)
        walk(machine, observed, depth: depth - 1)
      }
    }
    walk(ObservingMachine(), nil, depth: 5)
  }
}

extension ObservingMachineTests.Client: Equatable {
  static func == (lhs: ObservingMachineTests.Client, rhs: ObservingMachineTests.Client) -> Bool {
    lhs === rhs
  }
}
