import CMeasure

/// A measured value, and its target.
struct Row: Codable, Sendable {
  enum Unit: String, Codable, Sendable {
    case nanoseconds
    case bytes
    case perSecond
    case count
  }

  var id: String
  var title: String
  var value: Double
  var unit: Unit
  /// The value to reach, for measures that are the same on every machine, such as memory.
  var target: Double?
  /// The id of the raw limit that the value is compared with, measured in the same run.
  var limit: String?
  /// The value as a multiple of the raw limit.
  var ratio: Double?
  /// The target as a multiple of the raw limit: a machine is slower on one day than on another, but the
  /// multiple stays the same.
  var ratioTarget: Double?
  /// How many entries or observers the cache held, in cases of growth.
  var size: Int?

  /// Whether the target is met; `nil` without one.
  ///
  /// For rates, more is better; for all other values, less is.
  var isMet: Bool? {
    if let ratio, let ratioTarget {
      unit == .perSecond ? ratio >= ratioTarget : ratio <= ratioTarget
    } else {
      target.map { value <= $0 }
    }
  }
}

/// Collects rows, and runs only what was asked for.
///
/// A case that is measured again keeps its better value, because disturbances only ever add time.
final class Suite {
  private(set) var rows: [Row] = []
  /// Whether a row is printed when it is added: only in the last run, with the best value of all runs.
  var prints = true
  private let wanted: [String]

  init(wanted: [String]) {
    self.wanted = wanted
  }

  func wants(_ group: String) -> Bool {
    wanted.isEmpty || wanted.contains { group.hasPrefix($0) || $0.hasPrefix(group) }
  }

  /// Adds by how much one case takes longer than another; compares their best values, because a small
  /// difference of single runs may be chance.
  func addDifference(
    _ id: String,
    _ title: String,
    of longer: String,
    over shorter: String,
    target: Double? = nil,
    within ratioTarget: Double? = nil,
    limit: String? = nil
  ) {
    guard let longer = rows.first(where: { $0.id == longer }),
      let shorter = rows.first(where: { $0.id == shorter })
    else { return }
    rows.removeAll { $0.id == id }
    add(
      id,
      title,
      max(0, longer.value - shorter.value),
      target: target,
      within: ratioTarget,
      limit: limit
    )
  }

  func add(
    _ id: String,
    _ title: String,
    _ value: Double,
    unit: Row.Unit = .nanoseconds,
    target: Double? = nil,
    within ratioTarget: Double? = nil,
    limit: String? = nil,
    size: Int? = nil
  ) {
    let position = rows.firstIndex { $0.id == id }
    let best = position.map { rows[$0].value }.map {
      unit == .perSecond ? max($0, value) : min($0, value)
    }
    var row = Row(id: id, title: title, value: best ?? value, unit: unit, target: target)
    row.limit = limit
    row.ratioTarget = ratioTarget
    row.size = size
    if let limit, let raw = rows.first(where: { $0.id == limit }), raw.value > 0 {
      row.ratio = row.value / raw.value
    }
    if let position { rows[position] = row } else { rows.append(row) }
    if prints { Report.printLine(row) }
  }
}

/// Measures the wall time per operation: the least over many rounds, because noise only ever adds time.
func fastest(rounds: Int = 60, iterations: Int, _ body: (Int) -> Void) -> Double {
  var rounds = Rounds(atLeast: rounds + 1)
  while rounds.goOn() { rounds.measure { body(iterations) } }
  return rounds.fastest / Double(iterations)
}

/// Measures the wall time per asynchronous operation: the least over many rounds.
func fastest(
  rounds: Int = 60,
  iterations: Int,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (Int) async -> Void
) async -> Double {
  var rounds = Rounds(atLeast: rounds + 1)
  while rounds.goOn() { await rounds.measure { await body(iterations) } }
  return rounds.fastest / Double(iterations)
}

func nanoseconds(_ duration: Duration) -> Double {
  let (seconds, attoseconds) = duration.components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Keeps the optimiser from dropping a value that nobody uses.
@inline(never)
@_optimize(none)
func blackHole<Value>(_ value: Value) {}

/// A fixed order that no prefetcher foresees.
func shuffled(_ count: Int) -> [Int] {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  var order = Array(0..<count)
  for index in stride(from: count - 1, to: 0, by: -1) {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    order.swapAt(index, Int((state >> 33) % UInt64(index + 1)))
  }
  return order
}
