// What is promised to the nanosecond, as far as the timers of a busy machine are in time.
extension [PeerEvent] {
  /// When each key's change to a version, or to a later one, was first acknowledged.
  private struct Ends {
    /// The highest version that was acknowledged by a time, in the order of times.
    private var known: [String: [(time: UInt64, version: UInt64)]] = [:]

    init(_ events: [PeerEvent]) {
      for event in events.sorted(by: { $0.time < $1.time }) {
        guard case .changed(let version) = event.kind else { continue }
        guard version > known[event.key]?.last?.version ?? 0 else { continue }
        known[event.key, default: []].append((event.time, version))
      }
    }

    /// When a version was first known not to be the last one; `nil` if it is.
    func end(of version: UInt64, _ key: String) -> UInt64? {
      known[key]?.first { $0.version > version }?.time
    }
  }

  /// How late a timer of each process was at most, in nanoseconds.
  var lateness: [Int: UInt64] {
    reduce(into: [:]) { result, event in
      guard case .late(let time) = event.kind else { return }
      result[event.process] = Swift.max(result[event.process] ?? 0, time)
    }
  }

  /// How long the slowest call of each process took, in nanoseconds.
  private var slowness: [Int: UInt64] {
    reduce(into: [:]) { result, event in
      guard case .slow(let time) = event.kind else { return }
      result[event.process] = Swift.max(result[event.process] ?? 0, time)
    }
  }

  /// The requests that were answered with a version for longer than the message of a change takes that
  /// was acknowledged before.
  ///
  /// Two calls may be slow, the one of the log that is under way and the next, and two timers may be late
  /// of the process that reads: as slow and as late as any that it has seen, besides the bound.
  func stale(hearingWithin bound: Duration) -> [PeerEvent] {
    let (ends, lateness, slowness) = (Ends(self), lateness, slowness)
    return filter { event in
      guard case .read(let version, _) = event.kind, let end = ends.end(of: version, event.key)
      else {
        return false
      }
      let (late, slow) = (lateness[event.process] ?? 0, slowness[event.process] ?? 0)
      return event.time >= end + UInt64(bound / .nanoseconds(1)) + 2 * (slow + late)
    }
  }

  /// The requests that were answered with a version for longer than its process may trust it.
  ///
  /// A machine that hears nothing suspects what it has when `trust` is over since its landing, and since it
  /// asked for what the log told last; the change came after that. So a version may be served for `trust`
  /// from its end on, or from its landing if that is later: its fetch was under way. Two timers may be
  /// late: that of the last look before, and that of the look.
  func stale(trusting trust: Duration) -> [PeerEvent] {
    let (ends, lateness) = (Ends(self), lateness)
    var landings: [String: [UInt64]] = [:]
    for event in self {
      guard case .landed(let version, let time) = event.kind else { continue }
      landings["\(event.process) \(event.key) \(version)", default: []].append(time)
    }
    return filter { event in
      guard case .read(let version, _) = event.kind, let end = ends.end(of: version, event.key)
      else {
        return false
      }
      // What lands later was not read.
      let all = landings["\(event.process) \(event.key) \(version)"] ?? []
      let landing = all.filter { $0 <= event.time }.max() ?? 0
      let late = 2 * (lateness[event.process] ?? 0)
      return event.time >= Swift.max(end, landing) + UInt64(trust / .nanoseconds(1)) + late
    }
  }

  /// The requests that were answered with data that was stale when they began.
  ///
  /// Where each version is one answer of upstream: the data is as old as that, on every machine. The fetch
  /// that gets the answer dates it, which may be later by as much as its process is late.
  func stale(after staleTime: Duration) -> [PeerEvent] {
    var ends: [String: UInt64] = [:]
    let lateness = lateness
    for event in self {
      guard case .answered(let version, let time) = event.kind else { continue }
      let late = lateness[event.process] ?? 0
      ends["\(event.key) \(version)"] = time + late + UInt64(staleTime / .nanoseconds(1))
    }
    return filter { event in
      guard case .read(let version, _) = event.kind else { return false }
      return event.time >= ends["\(event.key) \(version)"] ?? 0
    }
  }

  /// The requests of upstream that began although the answer before was fresh.
  ///
  /// A machine that takes an entry counts as its age what its own call took, and what the leader's calls
  /// took, of the lease and of the commit: it may ask so much earlier.
  func early(within staleTime: Duration) -> [PeerEvent] {
    let slowest = slowness.values.max() ?? 0
    let period = Int64(staleTime / .nanoseconds(1)) - 3 * Int64(slowest)
    var ends: [String: UInt64] = [:]
    for event in self {
      if case .answered(let version, let end) = event.kind { ends["\(event.key) \(version)"] = end }
    }
    return filter { event in
      guard case .answered(let version, _) = event.kind, version > 1 else { return false }
      // Without an answer before, nobody knows why it was asked.
      guard let end = ends["\(event.key) \(version - 1)"] else { return true }
      return Int64(event.time) < Int64(end) + period
    }
  }

  /// The fetches that began after a change was acknowledged, and brought what was before it.
  var outdatedFetches: [PeerEvent] {
    let ends = Ends(self)
    return filter { event in
      guard case .landed(let version, _) = event.kind, let end = ends.end(of: version, event.key)
      else {
        return false
      }
      return event.time > end
    }
  }

  /// How often each key was told of with a text that begins so.
  func told(_ beginnings: String...) -> [String: Int] {
    reduce(into: [:]) { result, event in
      guard case .told(let text) = event.kind, beginnings.contains(where: text.hasPrefix) else {
        return
      }
      result[event.key, default: 0] += 1
    }
  }
}
