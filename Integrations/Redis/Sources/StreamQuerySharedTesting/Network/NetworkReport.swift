/// The result of a ``SimulatedNetwork``.
public struct NetworkReport: Sendable {
  /// A promise of the shared cache.
  public enum Promise: String, CaseIterable, Hashable, Sendable {
    /// Upstream gets one request for a key and period of freshness while the store is in reach.
    case oneRequest = "one request"
    /// No data is older than the stale time.
    case staleTime = "stale time"
    /// Nodes hear of an invalidation in time; without the store, they stop trusting their data in time.
    case invalidation = "invalidation"
    /// No node sees a lower version after a higher one.
    case neverBack = "never back"
    /// No call waits longer than its timeout.
    case answersInTime = "answers in time"
    /// After healing, all nodes have the last version.
    case converges = "converges"
    /// When the store is back, upstream does not get the requests of all nodes at once.
    case noHerd = "no herd"
  }

  /// The plan.
  public let plan: NetworkPlan
  /// The costs.
  public let meter: NetworkMeter
  /// The number of times that each promise was broken.
  public let broken: [Promise: Int]
  /// Descriptions of the first broken promises.
  public let examples: [String]
  /// A digest of the course of the simulation, which is equal for equal plans.
  public let scheduleHash: UInt64

  /// The report, for a person to read.
  public var text: String {
    let seconds = plan.duration / .seconds(1)
    let upstream = meter.upstream.values.reduce(0, +)
    let alone = meter.alone.values.reduce(0, +)
    let calls = meter.calls.values.reduce(0, +)
    let perNode = Double(calls) / seconds / Double(plan.nodes)
    var lines = [
      "nodes \(plan.nodes), keys \(plan.keys), seconds \(Int(seconds)), seed \(plan.seed)",
      "calls of the caches: \(meter.fetches), failed \(meter.failed)",
      "upstream requests: \(upstream), at most \(peak(from: .zero)) in a second",
      "  for all, judged as one for each key and period: \(upstream - meter.excused)",
      "  for all, excused by a fault: \(meter.excused - alone)",
      "  for one machine, which gave up the store: \(alone)",
      "store calls: \(calls), \(Self.text(Double(calls) / seconds)) a second, "
        + "\(Self.text(perNode)) a second and node",
    ]
    lines += meter.calls.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
    let invalidations = max(1, meter.calls["invalidate"] ?? 0)
    lines += [
      "log messages delivered: \(meter.delivered), "
        + "\(Self.text(Double(meter.delivered) / seconds)) a second",
      "bytes: \(meter.bytes), \(Self.text(Double(meter.bytes) / seconds / 1000)) kB a second",
      "invalidations: \(invalidations), each reaches \(plan.nodes) nodes",
      "lost: \(meter.lost)",
      "answers under way at a change that landed: \(meter.outdated)",
      "a call takes \(Self.text(meter.waited / .milliseconds(1) / Double(max(1, meter.fetches)))) "
        + "ms, the slowest \(Self.text(meter.longest / .milliseconds(1))) ms",
    ]
    lines += meter.events.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
    lines += Promise.allCases.map { "\($0.rawValue): broken \(broken[$0] ?? 0) times" }
    return (lines + examples).joined(separator: "\n")
  }

  /// The maximum number of requests to upstream in a second, within a span of time.
  public func peak(from start: Duration, to end: Duration = .seconds(1 << 40 as Int64)) -> Int {
    let seconds = start.components.seconds..<end.components.seconds
    return meter.upstream.lazy.filter { seconds.contains(Int64($0.key)) }.map(\.value).max() ?? 0
  }

  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
