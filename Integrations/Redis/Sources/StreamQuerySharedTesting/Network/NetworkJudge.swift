/// Judges whether a network keeps its promises, from the reported events.
struct NetworkJudge: Sendable {
  /// A change of a key upstream, which makes a new version.
  struct Change: Sendable {
    let time: Duration
    /// The time when an invalidation first reached the store after this change; `nil` if none has reached
    /// it.
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

  private struct Landing {
    let time: Duration
    let version: Int
  }

  let bounds: Bounds
  private var changes: [[Change]]
  private var requests: [Int: Request] = [:]
  /// For each key, the time when an invalidation last reached the store.
  private var toldAt: [Int: Duration] = [:]
  /// The highest version of a key that a node knows; `place(of:_:)` makes the number of the pair.
  private var floors: [Int: Int] = [:]
  /// The last answer for each key that came to each node; `place(of:_:)` makes the number of the pair.
  private var landings: [Int: Landing] = [:]
  /// For each node, the time until which a fault affects it.
  private var disturbed: [Duration]
  /// The time when a node last requested a key for itself alone.
  var alone: [Int: Duration] = [:]
  /// The number of changes that a node is making to a key; `suspicions` has the time when its last change
  /// ended.
  var changing: [Int: Int] = [:]
  var suspicions: [Int: Duration] = [:]
  /// The time when a node last got an answer of the store.
  var reached: [Int: Duration] = [:]
  private(set) var faults: [NetworkReport.Promise: Int] = [:]
  private(set) var examples: [String] = []

  init(nodes: Int, keys: Int, bounds: Bounds) {
    self.bounds = bounds
    changes = Array(repeating: [Change(time: .zero, invalidated: .zero)], count: keys)
    disturbed = Array(repeating: .zero, count: nodes)
  }

  mutating func found(_ promise: NetworkReport.Promise, _ text: String) {
    faults[promise, default: 0] += 1
    if examples.count < 20 { examples.append("\(promise): \(text)") }
  }

  // MARK: Facts

  /// Notes that a fault affects nodes until a time.
  mutating func disturbed(_ nodes: Range<Int>, until time: Duration) {
    for node in nodes { disturbed[node] = max(disturbed[node], time) }
  }

  /// Notes that a fault is over, and that its effects on nodes last until a time.
  mutating func healed(_ nodes: Range<Int>, until time: Duration) {
    for node in nodes where disturbed[node] > time { disturbed[node] = time }
  }

  private func isHealthy(_ node: Int, _ now: Duration) -> Bool { disturbed[node] < now }

  /// The number of keys.
  var keys: Int { changes.count }

  func version(of key: Int) -> Int { changes[key].count - 1 }

  /// Notes that a key has changed upstream, and returns its new version.
  mutating func changed(_ key: Int, at now: Duration) -> Int {
    changes[key].append(Change(time: now))
    return version(of: key)
  }

  /// Notes that an invalidation of a key reached the store.
  ///
  /// The invalidation concerns all versions before the present one.
  mutating func invalidated(_ key: Int, at now: Duration) {
    toldAt[key] = now
    for version in changes[key].indices.reversed() {
      guard changes[key][version].invalidated == nil else { return }
      changes[key][version].invalidated = now
    }
  }

  /// Notes that the store has forgotten the invalidations since a time, but not the earlier ones.
  mutating func forgot(since time: Duration) {
    for key in changes.indices {
      for version in changes[key].indices.dropFirst() {
        if let told = changes[key][version].invalidated, told >= time {
          // The store does not have this invalidation any more, so an entry from before it may be valid
          // until it is stale.
          changes[key][version].invalidated = .seconds(1 << 40 as Int64)
        }
      }
    }
  }

  /// Notes that a node knows a version, so that the node must not return an earlier one.
  mutating func knows(_ version: Int, of key: Int, node: Int) {
    let place = place(of: key, node)
    floors[place] = max(floors[place] ?? 0, version)
  }

  func place(of key: Int, _ node: Int) -> Int { node * changes.count + key }

  /// The time when an invalidation of a version first reached the store; `nil` if none has reached it.
  ///
  /// If the store has forgotten the invalidation, this is a time that never comes.
  private func end(of version: Int, _ key: Int) -> Duration? {
    guard version + 1 < changes[key].count else { return nil }
    return changes[key][(version + 1)...].compactMap(\.invalidated).min()
  }

  // MARK: Checks

  /// Judges a request to upstream.
  ///
  /// - Returns: Whether the request was judged. A node that a fault affects may ask again, and so may
  ///   the node that asks next.
  @discardableResult
  mutating func asked(_ key: Int, by node: Int, at now: Duration) -> Bool {
    defer { requests[key] = Request(time: now, node: node) }
    guard isHealthy(node, now) else { return false }
    guard let last = requests[key] else { return true }
    guard isHealthy(last.node, last.time) else { return false }
    if now - last.time >= bounds.period { return true }
    // An invalidation may have ended the lease of the last node while that node was about to ask.
    if let told = toldAt[key], told >= last.time - bounds.hearing { return true }
    found(
      .oneRequest,
      "key \(key) was asked for by \(node) at \(now), \(now - last.time) after \(last.node)"
    )
    return true
  }

  /// Notes that a request to upstream had no result, so that another one may follow.
  mutating func gotNothing(_ key: Int, by node: Int, askedAt time: Duration) {
    if alone[place(of: key, node)] == time { alone[place(of: key, node)] = nil }
    guard let last = requests[key], last.node == node, last.time == time else { return }
    requests[key] = nil
  }

  /// Judges an answer, from upstream or from the store, that becomes the data of a node.
  ///
  /// - Returns: Whether the store knows that the answer is outdated.
  @discardableResult
  mutating func landed(_ version: Int, of key: Int, node: Int, at now: Duration) -> Bool {
    landings[place(of: key, node)] = Landing(time: now, version: version)
    guard let told = end(of: version, key), told <= now else { return false }
    guard now - told > bounds.flight else { return true }
    let text = "key \(key) on \(node) became version \(version) of \(self.version(of: key))"
    found(.invalidation, "\(text) at \(now), \(now - told) after its end")
    return true
  }

  /// Judges a version that an observer sees after a former one.
  mutating func observed(_ version: Int, after former: Int?, of key: Int, node: Int) {
    guard let former, version < former else { return }
    found(.neverBack, "an observer of key \(key) on \(node) saw version \(version) after \(former)")
  }

  func began(_ key: Int, on node: Int, at now: Duration) -> Call {
    let floor = floors[place(of: key, node)] ?? 0
    return Call(node: node, key: key, time: now, floor: floor, isHealthy: isHealthy(node, now))
  }

  mutating func ended(_ call: Call, with version: Int?, at now: Duration) {
    let (key, node) = (call.key, call.node)
    if now - call.time > bounds.answerTimeout {
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
    guard let told = end(of: version, key) else { return }
    let isHealthy = call.isHealthy && isHealthy(node, call.time)
    let last = lastTime(of: version, key, node, told: told, isHealthy: isHealthy)
    guard call.time > last else { return }
    let state = isHealthy ? "" : ", out of reach,"
    found(.invalidation, "\(text)\(state) at \(call.time), \(call.time - told) after its end")
  }

  /// The time until which a node may return a version after the store has heard of a newer one.
  private func lastTime(
    of version: Int,
    _ key: Int,
    _ node: Int,
    told: Duration,
    isHealthy: Bool
  ) -> Duration {
    if isHealthy { return told + bounds.hearing }
    // A node that cannot reach the store trusts data for `trust`: from the moment when the data came, or
    // from the moment when the node last knew all changes, which was before `told`.
    guard let landing = landings[place(of: key, node)], landing.version == version else {
      return told + bounds.trust
    }
    return max(told, landing.time) + bounds.trust
  }

  /// Judges the version that a node has in the end; it must be the key's last version.
  mutating func converged(_ key: Int, on node: Int, with version: Int?) {
    guard version != self.version(of: key) else { return }
    let text = version.map { "\($0)" } ?? "no version"
    found(.converges, "key \(key) on \(node) was \(text) of \(self.version(of: key)) in the end")
  }
}
