import Testing

@testable import StreamQueryUI

struct VisibilityMachineTests {
  private enum Event {
    case drawn, appeared, disappeared
  }

  /// Whether it observes at first and after each event.
  private func course(_ period: ObservationPeriod, _ events: Event...) -> [Bool] {
    var machine = VisibilityMachine()
    return [machine.observes]
      + events.map { event in
        switch event {
        case .drawn: machine.drawn(period)
        case .appeared: machine.appeared()
        case .disappeared: machine.disappeared()
        }
        return machine.observes
      }
  }

  @Test func aViewThatComesAndGoes() {
    let events = { self.course($0, .drawn, .appeared, .disappeared, .drawn, .appeared) }
    #expect(events(.always) == [false, true, true, true, true, true])
    #expect(events(.onRender) == [false, true, true, false, false, true])
    #expect(events(.onAppear) == [false, false, true, false, false, true])
  }

  @Test func aViewThatAppearsTwiceOrIsNeverDrawn() {
    for period in [ObservationPeriod.always, .onRender, .onAppear] {
      #expect(course(period, .drawn, .appeared, .appeared, .drawn).suffix(2) == [true, true])
      #expect(course(period, .disappeared, .drawn).last == (period == .always))
    }
  }
}
