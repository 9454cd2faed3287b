/// Which fetches and runs wait for which, as far as they wait from inside of their work.
///
/// Pure. A wait that would close a circle is refused where it begins, so there never is one. A run also
/// waits for all that are before it in its lane: these need not be told, only those of them matter that
/// wait for something in their turn.
struct WaitGraph: Sendable {
  private struct Lane: Hashable {
    var cache: UInt64
    var scope: String
  }

  /// What each piece of work waits for, by the numbers of its waits.
  private var waits: [WorkID: [UInt64: WorkID]] = [:]
  /// The runs of each lane that wait for something, by their own numbers.
  private var lanes: [Lane: Set<UInt64>] = [:]
  private var lastNumber: UInt64 = 0

  /// Whether nothing waits.
  var isEmpty: Bool { waits.isEmpty && lanes.isEmpty }

  /// Whether a piece of work waits for any other one.
  func isWaiting(_ work: WorkID) -> Bool { waits[work] != nil }

  /// How many waits there are of, or for, the works of a client.
  func count(of cache: UInt64) -> Int {
    waits.reduce(0) { sum, wait in
      sum + wait.value.values.count { $0.cache == cache || wait.key.cache == cache }
    }
  }

  /// Whether a piece of work waits for another one, directly or through others, or is it.
  ///
  /// - Complexity: O(*n*) in what it waits for.
  func waits(_ work: WorkID, for other: WorkID) -> Bool {
    if work == other || work.isBehind(other) { return true }
    var open = [work]
    var seen: Set = [work]
    func isFound(_ ahead: WorkID) -> Bool {
      guard seen.insert(ahead).inserted else { return false }
      open.append(ahead)
      return ahead == other || ahead.isBehind(other)
    }
    while let next = open.popLast() {
      for ahead in (waits[next] ?? [:]).values where isFound(ahead) { return true }
      guard case .run(let cache, let serial, let scope?) = next else { continue }
      for ahead in lanes[Lane(cache: cache, scope: scope)] ?? [] where ahead < serial {
        if isFound(.run(cache: cache, serial: ahead, scope: scope)) { return true }
      }
    }
    return false
  }

  /// Begins a wait, unless it closes a circle.
  ///
  /// - Parameters:
  ///   - source: Who waits.
  ///   - target: What for; a run that is about to begin is told by its number as well.
  /// - Returns: The number of the wait; `nil` if the target waits for the source.
  mutating func begin(_ source: WorkID, for target: WorkID) -> UInt64? {
    guard !waits(target, for: source) else { return nil }
    lastNumber += 1
    waits[source, default: [:]][lastNumber] = target
    if case .run(let cache, let serial, let scope?) = source {
      lanes[Lane(cache: cache, scope: scope), default: []].insert(serial)
    }
    return lastNumber
  }

  /// Ends a wait; a second time is a no-op.
  mutating func end(_ number: UInt64, of source: WorkID) {
    waits[source]?[number] = nil
    if waits[source]?.isEmpty == true { ended(source) }
  }

  /// A piece of work is over: what its tasks still wait for, it waits for no more.
  mutating func ended(_ work: WorkID) {
    waits[work] = nil
    guard case .run(let cache, let serial, let scope?) = work else { return }
    let lane = Lane(cache: cache, scope: scope)
    lanes[lane]?.remove(serial)
    if lanes[lane]?.isEmpty == true { lanes[lane] = nil }
  }
}
