internal import Foundation
internal import StreamQueryShared
internal import StreamQuerySharedTesting

/// `swift run -c release SharingCosts --nodes 1000` prints the costs of sharing among 1000 machines.
///
/// The same options print the same text, which is stored in `Costs`:
/// `swift run -c release SharingCosts --nodes 1000 | diff - Costs/nodes-1000.txt`.
@main
enum SharingCosts {
  static func main() {
    var plan = NetworkPlan()
    plan.nodes = 1000
    plan.keys = 300
    plan.callsPerSecond = 2000
    plan.changesPerSecond = 1
    plan.duration = .seconds(30)
    let arguments = CommandLine.arguments
    for (name, value) in zip(arguments, arguments.dropFirst()) {
      guard let number = Int(value) else { continue }
      switch name {
      case "--nodes": plan.nodes = number
      case "--keys": plan.keys = number
      case "--seconds": plan.duration = .seconds(number)
      case "--calls": plan.callsPerSecond = Double(number)
      case "--seed": plan.seed = UInt64(max(0, number))
      default: print("unknown option \(name)")
      }
    }
    if arguments.contains("--faults") {
      plan.faults = Self.faults(of: plan)
      plan.changesPerSecond = 0.25
      plan.writesPerSecond = 0.1
      plan.observersPerNode = 1
      // Each machine reads the end of the log four times in this time. These reads take most of the run.
      plan.configuration.trust = .seconds(6)
      // The stale time is so short that data becomes stale more than once between the end of a fault
      // and the next fault.
      plan.staleTime = .seconds(5)
      plan.duration = max(plan.duration, .seconds(98))
    }
    let report = SimulatedNetwork(plan).run()
    print(report.text)
    // The examples also name failures of the simulation itself.
    if !report.broken.isEmpty || !report.examples.isEmpty { exit(1) }
  }

  /// All faults, one after the other.
  ///
  /// Requests that a fault may have caused are not judged. The effects of a fault are over about five seconds
  /// after its end, so that all requests are judged for about eight seconds before the next fault.
  private static func faults(
    of plan: NetworkPlan
  ) -> [(at: Duration, fault: NetworkFault)] {
    [
      (.seconds(6), .partition(nodes: 0..<plan.nodes / 3)), (.seconds(14), .heal),
      (.seconds(27), .crash), (.seconds(30), .restart(forgetting: true)),
      (.seconds(43), .loss(0.02)), (.seconds(46), .heal),
      (.seconds(59), .pause), (.seconds(62), .resume),
      (.seconds(75), .failOver(losing: .seconds(1))),
      (.seconds(88), .kill(node: 0)), (.seconds(88), .kill(node: plan.nodes / 2)),
    ]
  }
}
