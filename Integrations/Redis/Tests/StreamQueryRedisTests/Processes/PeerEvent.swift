/// What a process saw or did.
struct PeerEvent: Equatable {
  /// What it was.
  enum Kind: Equatable {
    /// A request began, and was answered with this version at this time.
    case read(UInt64, until: UInt64)
    /// A change to this version was acknowledged.
    case changed(UInt64)
    /// A fetch that began brought this version, which became the data at this time.
    case landed(UInt64, at: UInt64)
    /// A request of upstream began, and was answered with this version at this time.
    case answered(UInt64, at: UInt64)
    /// A call of the store took so many nanoseconds, and none took more.
    case slow(UInt64)
    /// A timer was late by so many nanoseconds, and none by more.
    case late(UInt64)
    /// The cache told of something other than a hit, or the store of what may have ended a lease or an
    /// entry.
    case told(String)
    /// Something threw.
    case failed(String)
  }

  var key: String
  /// Nanoseconds, of a clock that all processes share.
  var time: UInt64
  var kind: Kind
  /// The number of the process.
  var process = 0

  /// Creates an event.
  init(_ key: String, at time: UInt64, _ kind: Kind, by process: Int = 0) {
    self.key = key
    self.time = time
    self.kind = kind
    self.process = process
  }

  /// Reads the line of an event.
  init?(_ line: String, by process: Int = 0) {
    let parts = line.split(separator: " ", maxSplits: 3).map { String($0) }
    guard parts.count == 4, let time = UInt64(parts[2]) else { return nil }
    let numbers = parts[3].split(separator: " ").map { UInt64($0) }
    let kind: Kind =
      switch (parts[0], numbers.first ?? nil, numbers.last ?? nil) {
      case ("read", let version?, let end?) where numbers.count == 2: .read(version, until: end)
      case ("landed", let version?, let end?) where numbers.count == 2: .landed(version, at: end)
      case ("answered", let version?, let end?) where numbers.count == 2:
        .answered(version, at: end)
      case ("slow", let time?, _): .slow(time)
      case ("late", let time?, _): .late(time)
      case ("changed", let version?, _): .changed(version)
      case ("told", _, _): .told(parts[3])
      default: .failed(parts[3])
      }
    self.init(parts[1], at: time, kind, by: process)
  }
}

extension [PeerEvent] {
  /// The texts of what failed.
  var failures: [String] {
    compactMap { event in if case .failed(let text) = event.kind { text } else { nil } }
  }

  /// How often the caches told of what, the keys left out.
  var told: [String: Int] {
    reduce(into: [:]) { result, event in
      guard case .told(let text) = event.kind else { return }
      result[String(text.filter { !$0.isNumber }), default: 0] += 1
    }
  }

  /// How many requests were answered.
  var answered: Int {
    count { event in if case .read = event.kind { true } else { false } }
  }

  /// How many changes of each key were acknowledged.
  var changes: [String: Int] {
    reduce(into: [:]) { result, event in
      if case .changed = event.kind { result[event.key, default: 0] += 1 }
    }
  }

  /// The requests whose answer was older than what the same process knew when they began: an
  /// answer that it had got by then, or a change that it had told of.
  var wentBack: [PeerEvent] {
    // What is known at a moment counts for what begins at it.
    let moments = enumerated().flatMap { index, event -> [(time: UInt64, begins: Bool, Int)] in
      switch event.kind {
      case .read(_, let end): [(event.time, true, index), (end, false, index)]
      case .changed: [(event.time, false, index)]
      case .landed, .answered, .slow, .late, .told, .failed: []
      }
    }
    var known: [String: UInt64] = [:]
    var result: [PeerEvent] = []
    for (_, begins, index) in moments.sorted(by: { ($0.0, $0.1 ? 1 : 0) < ($1.0, $1.1 ? 1 : 0) }) {
      let subject = "\(self[index].process) \(self[index].key)"
      switch self[index].kind {
      case .read(let version, _) where begins:
        if version < known[subject] ?? 0 { result.append(self[index]) }
      case .read(let version, _), .changed(let version):
        known[subject] = Swift.max(known[subject] ?? 0, version)
      case .landed, .answered, .slow, .late, .told, .failed: break
      }
    }
    return result
  }
}
