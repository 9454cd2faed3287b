import StreamQueryShared
import StreamQuerySharedTesting
import Testing

/// Machines keep their promises, whatever happens to the store and on the way to it.
@Suite struct SimulatedNetworkTests {
  func expectKept(_ plan: NetworkPlan) -> NetworkReport {
    let report = SimulatedNetwork(plan).run()
    #expect(report.broken == [:], "\(report.text)")
    return report
  }

  @Test func aNetworkWithoutFaultsKeepsItsPromises() {
    let report = expectKept(NetworkPlan())
    #expect(report.meter.failed == 0)
    #expect(report.meter.fetches > 10_000)
  }

  @Test func thePlanDecidesTheCourse() {
    var plan = NetworkPlan()
    plan.duration = .seconds(10)
    let reports = (0..<2).map { _ in SimulatedNetwork(plan).run() }
    #expect(reports[0].scheduleHash == reports[1].scheduleHash)
    #expect(reports[0].meter == reports[1].meter)
  }
}
