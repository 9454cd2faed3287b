internal import StreamQuery

/// The entries whose fetches an export awaits; the export tells this value their states.
///
/// Examining the entries, and making an archive with all remaining names, takes time in proportion
/// to their number. So if there are many entries, they are examined once for several fetches that
/// have ended.
struct PendingEntries {
  private(set) var keys: [EntryKey] = []
  /// The names of the entries in archives, in the order of the entries.
  private(set) var texts: [String] = []

  /// The earliest time at which the entries are examined again after a fetch has ended.
  private(set) var nextLook = Instant.distantPast

  var isEmpty: Bool { keys.isEmpty }

  /// How long ends of fetches are gathered: a millisecond for each 20 names, and not at all with
  /// fewer than a hundred.
  private var gap: TimeSpan { keys.count < 100 ? .zero : TimeSpan(.microseconds(50) * keys.count) }

  mutating func add(_ key: EntryKey, _ text: String) {
    keys.append(key)
    texts.append(text)
  }

  /// An archive with the names of all these entries has been made.
  mutating func named(at now: Instant) { nextLook = now + gap ?? now }

  /// Takes the present states of the entries, in their order.
  ///
  /// - Parameters:
  ///   - present: The state of each.
  ///   - now: The time.
  /// - Returns: The entries that are not awaited any more and still exist; `nil` if all of them are
  ///   still being fetched.
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
