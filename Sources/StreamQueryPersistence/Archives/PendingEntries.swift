internal import StreamQuery

/// The entries whose fetches an export awaits: a value that is told how they are.
///
/// To look at them, and to name all that are left, costs time in proportion to their number. So if
/// there are many, they are not looked at whenever one of them ends.
struct PendingEntries {
  private(set) var keys: [EntryKey] = []
  /// Their names in archives, in the same order.
  private(set) var texts: [String] = []

  /// When they are to be looked at next, if anything has happened.
  private(set) var nextLook = Instant.distantPast

  var isEmpty: Bool { keys.isEmpty }

  /// How long to gather ends: 20 names in a millisecond, and no wait for fewer than a hundred.
  private var gap: TimeSpan { keys.count < 100 ? .zero : TimeSpan(.microseconds(50) * keys.count) }

  mutating func add(_ key: EntryKey, _ text: String) {
    keys.append(key)
    texts.append(text)
  }

  /// An archive names all of them.
  mutating func named(at now: Instant) { nextLook = now + gap ?? now }

  /// Takes note of how the entries are, in their order.
  ///
  /// - Parameters:
  ///   - present: What has become of each.
  ///   - now: The time.
  /// - Returns: Those that are awaited no longer and are still there; `nil` if all are fetching.
  mutating func looked(at present: [ExportPresence], at now: Instant) -> [QueryInfo]? {
    defer { named(at: now) }
    var settled: [QueryInfo] = []
    var (rest, names): ([EntryKey], [String]) = ([], [])
    for (index, presence) in present.enumerated() {
      switch presence {
      case .fetching:
        rest.append(keys[index])
        names.append(texts[index])
      case .settled(let info): settled.append(info)
      case .gone: break
      }
    }
    guard rest.count < keys.count else { return nil }
    (keys, texts) = (rest, names)
    return settled
  }
}
