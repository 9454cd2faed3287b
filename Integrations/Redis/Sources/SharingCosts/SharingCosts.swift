import StreamQuerySharedTesting

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
      plan.faults = [
        (.seconds(8), .partition(nodes: 0..<plan.nodes / 3)), (.seconds(14), .heal),
        (.seconds(18), .crash), (.seconds(22), .restart(forgetting: true)),
      ]
    }
    print(SimulatedNetwork(plan).run().text)
  }
}
