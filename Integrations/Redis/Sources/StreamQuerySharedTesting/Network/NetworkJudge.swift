/// Whether a network keeps what is promised: it is told what happened, and says what was wrong.
struct NetworkJudge: Sendable {
  /// The bounds of staleness.
  struct Bounds: Sendable {
    /// How long data is fresh, and for how long it may have been on its way.
    var stale: Duration
    /// For how long a machine that hears nothing may not know of an invalidation.
    var deaf: Duration
    /// For how long a machine that hears everything may not know of an invalidation.
    var hearing: Duration
    /// After how long a fresh value may be asked for again.
    var period: Duration
    /// How long a call may take.
    var patience: Duration
  }

  /// A version upstream.
  struct Change: Sendable {
    let time: Duration
    /// When its invalidation reached the store; `nil` if it did not, or was lost there.
    var invalidated: Duration?
  }

  struct Call: Sendable {
    let node: Int
    let key: Int
    let time: Duration
    let floor: Int
    let isHealthy: Bool
  }

  private struct Request {
    let time: Duration
    let node: Int
  }

  private let bounds: Bounds
  private var changes: [[Change]]
  private var requests: [Int: Request] = [:]
  /// When the store was last told of an invalidation of a key, of whatever version.
  private var toldAt: [Int: Duration] = [:]
  /// The highest version that a node knows of a key.
  private var floors: [Int: Int] = [:]
  /// Until when a node counts as disturbed.
  private var disturbed: [Duration]
  private(set) var faults: [NetworkReport.Promise: Int] = [:]
  private(set) var examples: [String] = []

  init(nodes: Int, keys: Int, bounds: Bounds) {
    self.bounds = bounds
    changes = Array(repeating: [Change(time: .zero, invalidated: .zero)], count: keys)
    disturbed = Array(repeating: .zero, count: nodes)
  }

  private mutating func found(_ promise: NetworkReport.Promise, _ text: String) {
    faults[promise, default: 0] += 1
    if examples.count < 20 { examples.append("\(promise): \(text)") }
  }

  // MARK: Facts

  /// Something disturbs nodes, until a time.
  mutating func disturbed(_ nodes: Range<Int>, until time: Duration) {
    for node in nodes { disturbed[node] = max(disturbed[node], time) }
  }

  /// What disturbed nodes is over; the effects last until a time.
  mutating func healed(_ nodes: Range<Int>, until time: Duration) {
    for node in nodes where disturbed[node] > time { disturbed[node] = time }
  }

  private func isHealthy(_ node: Int, _ now: Duration) -> Bool { disturbed[node] < now }

  func version(of key: Int) -> Int { changes[key].count - 1 }

  /// Upstream has a new version.
  mutating func changed(_ key: Int, at now: Duration) -> Int {
    changes[key].append(Change(time: now))
    return version(of: key)
  }

  /// An invalidation reached the store: of all versions before the present one.
  mutating func invalidated(_ key: Int, at now: Duration) {
    toldAt[key] = now
    for version in changes[key].indices.reversed() {
      guard changes[key][version].invalidated == nil else { return }
      changes[key][version].invalidated = now
    }
  }

  /// The store forgot what it was told since a time, but not everything.
  mutating func forgot(since time: Duration) {
    for key in changes.indices {
      for version in changes[key].indices.dropFirst() {
        if let told = changes[key][version].invalidated, told >= time {
          // Unknown for ever: an entry from before may be valid until it is stale.
          changes[key][version].invalidated = .seconds(1 << 40)
        }
      }
    }
  }

  /// A node knows that a version is no longer the last one.
  mutating func knows(_ version: Int, of key: Int, node: Int) {
    let place = node * changes.count + key
    floors[place] = max(floors[place] ?? 0, version)
  }

  // MARK: Checks

  /// Upstream is asked.
  mutating func asked(_ key: Int, by node: Int, at now: Duration) {
    defer { requests[key] = Request(time: now, node: node) }
    guard let last = requests[key], isHealthy(node, now), isHealthy(last.node, last.time) else {
      return
    }
    if now - last.time >= bounds.period { return }
    // An invalidation may have ended the lease while its holder was about to ask.
    if let told = toldAt[key], told >= last.time - bounds.hearing { return }
    found(
      .oneRequest,
      "key \(key) was asked for by \(node) at \(now), \(now - last.time) after \(last.node)"
    )
  }

  /// A request of upstream brought nothing: another one may follow.
  mutating func gotNothing(_ key: Int, by node: Int, askedAt time: Duration) {
    guard let last = requests[key], last.node == node, last.time == time else { return }
    requests[key] = nil
  }

  /// An observer sees a version.
  mutating func observed(_ version: Int, after former: Int?, of key: Int, node: Int) {
    guard let former, version < former else { return }
    found(.neverBack, "an observer of key \(key) on \(node) saw version \(version) after \(former)")
  }

  func began(_ key: Int, on node: Int, at now: Duration) -> Call {
    let floor = floors[node * changes.count + key] ?? 0
    return Call(node: node, key: key, time: now, floor: floor, isHealthy: isHealthy(node, now))
  }

  mutating func ended(_ call: Call, with version: Int?, at now: Duration) {
    let (key, node) = (call.key, call.node)
    if now - call.time > bounds.patience {
      found(.answersInTime, "key \(key) on \(node) took \(now - call.time) at \(call.time)")
    }
    guard let version else { return }
    defer { knows(version, of: key, node: node) }
    let text = "key \(key) on \(node) was version \(version) of \(self.version(of: key))"
    if version < call.floor {
      found(.neverBack, "\(text) at \(call.time), after \(call.floor)")
    }
    let next = version + 1
    guard next < changes[key].count else { return }
    if call.time - changes[key][next].time > bounds.stale {
      found(.staleTime, "\(text) at \(call.time), \(call.time - changes[key][next].time) too old")
    }
    // The first later version whose predecessors are known to be outdated.
    let told = changes[key][next...].compactMap(\.invalidated).min()
    guard let told else { return }
    let isHealthy = call.isHealthy && isHealthy(node, call.time)
    let bound = isHealthy ? bounds.hearing : bounds.deaf
    if call.time - told > bound {
      let state = isHealthy ? "" : ", out of reach,"
      found(.invalidation, "\(text)\(state) at \(call.time), \(call.time - told) after its end")
    }
  }

  /// In the end, all nodes have the last version.
  mutating func converged(_ key: Int, on node: Int, with version: Int?) {
    guard version != self.version(of: key) else { return }
    let text = version.map { "\($0)" } ?? "no version"
    found(.converges, "key \(key) on \(node) was \(text) of \(self.version(of: key)) in the end")
  }

  /// What upstream got in a second after a return.
  struct Second: Equatable, Sendable {
    /// The requests that nodes made for all.
    var shared: Int
    /// Those that they made for themselves, since they believed that the store is away.
    var alone: Int
    /// How much changed.
    var changes: Int
  }

  /// A second has passed after a return.
  ///
  /// - Parameters:
  ///   - second: What upstream got.
  ///   - usual: The most requests in a second before anything went wrong.
  ///   - away: The most that nodes made for themselves in a second while the store was away; zero
  ///     once all must have noticed that it is back.
  mutating func returned(_ second: Second, usual: Int, away: Int) {
    // What all nodes doubt at once is asked for once.
    let most = usual + changes.count + second.changes
    if second.shared > most {
      found(.noHerd, "\(second.shared) requests in a second after the return, \(most) may be")
    }
    if second.alone > away {
      found(.noHerd, "\(second.alone) nodes asked alone after the return, \(away) may")
    }
  }
}
