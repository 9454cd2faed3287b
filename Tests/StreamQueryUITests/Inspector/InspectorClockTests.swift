import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

/// The inspector of a client with a clock that may throw an error of its own.
@MainActor
struct InspectorClockTests {
  @Test("after an error of the clock, shown ages grow again from the next event on")
  func agesGrowAgain() {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { simulation in
        let clock = FailingClock(simulation.clock)
        let client = QueryClient(simulation: simulation) {
          $0.record = .last(1_000)
          $0.operatorClock = clock
        }
        let model = InspectorModel()
        client.setData("A", for: QueryKey<String>("a"))
        clock.isFailing = true
        model.start(using: client)
        simulation.settle()
        clock.isFailing = false
        client.setData("A2", for: QueryKey<String>("a"))
        simulation.advance(by: .seconds(10))
        expect((model.row(of: 1)?.age ?? .zero) > .seconds(5))
        model.stop()
      }
    }
  }
}
