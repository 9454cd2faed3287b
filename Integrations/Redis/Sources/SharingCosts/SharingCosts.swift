internal import Foundation
internal import StreamQuerySharedTesting

/// `swift run -c release SharingCosts --nodes 1000`: what sharing costs among so many machines.
///
/// The same options print the same text, which `Costs` keeps:
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
      plan.writesPerSecond = 0.5
      plan.observersPerNode = 2
      plan.duration = max(plan.duration, .seconds(60))
    }
    let report = SimulatedNetwork(plan).run()
    print(report.text)
    // The examples name failures of the simulation itself as well.
    if !report.broken.isEmpty || !report.examples.isEmpty { exit(1) }
  }

  /// Everything that can go wrong, one after the other.
  private static func faults(
    of plan: NetworkPlan
  ) -> [(at: Duration, fault: NetworkFault)] {
    [
      (.seconds(6), .partition(nodes: 0..<plan.nodes / 3)), (.seconds(12), .heal),
      (.seconds(18), .crash), (.seconds(22), .restart(forgetting: true)),
      (.seconds(28), .loss(0.02)), (.seconds(33), .heal),
      (.seconds(38), .pause), (.seconds(41), .resume),
      (.seconds(47), .failOver(losing: .seconds(1))),
      (.seconds(52), .kill(node: 0)), (.seconds(53), .kill(node: plan.nodes / 2)),
    ]
  }
}
