/// The waits of fetches and runs for each other, from inside their functions.
///
/// A wait that would close a circle is refused when it begins. A run also waits for all earlier runs of its
/// scope. No wait of that kind is stored, because it follows from `scopes` and the order of runs.
struct WaitGraph: Sendable {
  /// The work for which each piece of work waits, by the numbers of the waits.
  private var waits: [WorkID: [UInt64: WorkID]] = [:]
  /// The runs of each scope that wait for something.
  private var scopes: [WorkID: Set<WorkID>] = [:]
  private var lastNumber: UInt64 = 0

  /// Whether there are no waits.
  var isEmpty: Bool { waits.isEmpty && scopes.isEmpty }

  /// Whether a piece of work waits for any other.
  func isWaiting(_ work: WorkID) -> Bool { waits[work] != nil }

  /// The work that a piece of work waits for.
  func targets(of work: WorkID) -> [WorkID] { waits[work].map { Array($0.values) } ?? [] }

  /// The number of waits in which the work of a client waits or is waited for.
  func count(of cache: UInt64) -> Int {
    waits.reduce(0) { sum, wait in
      sum + wait.value.values.count { $0.cache == cache || wait.key.cache == cache }
    }
  }

  /// Whether a piece of work equals another one, or waits for it, directly or through others.
  ///
  /// - Complexity: O(*n*) in the work that the given piece waits for.
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
      for ahead in next.scope.flatMap({ scopes[$0] }) ?? [] where next.isBehind(ahead) {
        if isFound(ahead) { return true }
      }
    }
    return false
  }

  /// Begins a wait, unless it closes a circle.
  ///
  /// - Parameters:
  ///   - source: The work that waits.
  ///   - target: The work for which `source` waits; a run about to begin already has its number.
  /// - Returns: The number of the wait; `nil` if the target waits for the source.
  mutating func addWait(_ source: WorkID, for target: WorkID) -> UInt64? {
    guard !waits(target, for: source) else { return nil }
    lastNumber += 1
    waits[source, default: [:]][lastNumber] = target
    if let scope = source.scope { scopes[scope, default: []].insert(source) }
    return lastNumber
  }

  /// Ends a wait; a second call does nothing.
  mutating func removeWait(_ number: UInt64, of source: WorkID) {
    waits[source]?[number] = nil
    if waits[source]?.isEmpty == true { workEnded(source) }
  }

  /// Ends all waits of a piece of work that is over, even if tasks of this work still wait.
  mutating func workEnded(_ work: WorkID) {
    waits[work] = nil
    guard let scope = work.scope else { return }
    scopes[scope]?.remove(work)
    if scopes[scope]?.isEmpty == true { scopes[scope] = nil }
  }
}

/// A piece of work that others may wait for, in any client of the process.
enum WorkID: Hashable, Sendable {
  /// The present fetch of an entry.
  case fetch(cache: UInt64, entry: EntryID)
  /// A run of a mutation, by its number and its scope.
  case run(cache: UInt64, serial: UInt64, scope: String?)

  var cache: UInt64 {
    switch self {
    case .fetch(let cache, _), .run(let cache, _, _): cache
    }
  }

  /// The scope of a run, as an identity that all of its runs share; `nil` without one.
  var scope: WorkID? {
    guard case .run(let cache, _, let scope?) = self else { return nil }
    return .run(cache: cache, serial: 0, scope: scope)
  }

  /// Whether both are runs of one scope, and the other run comes first.
  func isBehind(_ other: WorkID) -> Bool {
    guard case .run(let cache, let serial, let scope?) = self,
      case .run(cache, let otherSerial, scope) = other
    else { return false }
    return otherSerial < serial
  }
}
