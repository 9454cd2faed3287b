import Testing

@testable import StreamQuery

struct GarbageTests {
  private final class Probe: Sendable {}

  @Test(arguments: 0..<6)
  func whatIsCollectedIsReleasedWithIt(count: Int) {
    var garbage: Garbage? = Garbage()
    let probes = (0..<count).map { number in
      let probe = Probe()
      if number % 2 == 0 { garbage?.collect(probe) } else { garbage?.collect(value: [probe]) }
      return WeakProbe(probe)
    }
    garbage?.collect(nil)
    expectEqual(garbage?.count, count)
    #expect(probes.allSatisfy { $0.probe != nil })
    garbage = nil
    #expect(probes.allSatisfy { $0.probe == nil })
  }

  private struct WeakProbe {
    weak var probe: Probe?

    init(_ probe: Probe) { self.probe = probe }
  }
}
