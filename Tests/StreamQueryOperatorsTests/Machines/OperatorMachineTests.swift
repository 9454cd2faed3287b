@testable import StreamQueryOperators
import Testing

/// Every machine keeps the promises of `OperatorMachine` whatever comes, and in whatever order.
struct OperatorMachineTests {
  private static let interval = Interval(clamping: .seconds(2))

  private func expectPromises<Machine: OperatorMachine>(
    _ machine: Machine,
    opens: Bool = false,
    depth: Int = 7,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let violation = OperatorModel.firstViolation(machine, opens: opens, depth: depth)
    expectNil(violation, sourceLocation: sourceLocation)
    for seed in 0..<200 as Range<UInt64> {
      let violation = OperatorModel.violation(machine, opens: opens, steps: 100, seed: seed)
      expectNil(violation, "seed \(seed)", sourceLocation: sourceLocation)
      if violation != nil { return }
    }
  }

  @Test func merge() {
    expectPromises(MergeMachine(count: 0))
    expectPromises(MergeMachine(count: 2))
    expectPromises(MergeMachine(count: 3), depth: 6)
    expectPromises(MergeMachine(count: 2, ending: .whenOneIsEmpty))
  }

  @Test func switchToLatest() {
    expectPromises(SwitchMachine(), opens: true)
    expectPromises(SwitchMachine(ending: .withTheInner), opens: true)
  }

  @Test func debounce() {
    expectPromises(DebounceMachine(interval: Self.interval))
    expectPromises(DebounceMachine(interval: Interval(clamping: .zero)))
    expectPromises(DebounceMachine(interval: Interval(clamping: .seconds(Int64.max))))
  }

  @Test(arguments: [ThrottleEdges.leading, .trailing, .both])
  func throttle(edges: ThrottleEdges) {
    expectPromises(ThrottleMachine(interval: Self.interval, edges: edges))
    expectPromises(ThrottleMachine(interval: Interval(clamping: .zero), edges: edges))
  }

  @Test func timeout() {
    expectPromises(TimeoutMachine(limit: Self.interval))
    expectPromises(TimeoutMachine(limit: Interval(clamping: .zero)))
    expectPromises(TimeoutMachine(limit: Interval(clamping: .seconds(Int64.max))))
  }
}
