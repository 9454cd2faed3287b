internal import StreamQuery

/// The entries that an export names as pending; the export reports their states to this value.
///
/// Examining the entries, and making an archive with all remaining names, takes time in proportion to their
/// number. So if there are many entries, they are examined once for several fetches that have ended.
struct PendingEntries {
  private var entries: [(key: EntryKey, text: String)] = []

  /// The earliest time of the next examination, however many fetches end before.
  private(set) var nextLook = Instant.distantPast

  var isEmpty: Bool { entries.isEmpty }

  var keys: [EntryKey] { entries.map(\.key) }

  /// The texts of `keys` in archives, in the same order.
  var texts: [String] { entries.map(\.text) }

  /// The minimum time between two examinations: a millisecond for each 20 entries, and none for fewer than a
  /// hundred.
  private var gap: TimeSpan {
    entries.count < 100 ? .zero : TimeSpan(.microseconds(50) * entries.count)
  }

  mutating func add(_ key: EntryKey, _ text: String) { entries.append((key, text)) }

  /// Notes an examination of the entries, or their first archive: the next examination waits for `gap`.
  mutating func named(at now: Instant) { nextLook = now + gap ?? now }

  /// Receives the present states of the entries, and removes the entries that are not being fetched any more.
  ///
  /// - Parameters:
  ///   - present: The states, in the order of `keys`.
  ///   - now: The time.
  /// - Returns: The removed entries that still exist in the cache; `nil` if all are still being fetched.
  mutating func looked(at present: [ExportPresence], at now: Instant) -> [QueryInfo]? {
    defer { named(at: now) }
    var settled: [QueryInfo] = []
    var rest: [(key: EntryKey, text: String)] = []
    for (entry, presence) in zip(entries, present) {
      switch presence {
      case .fetching: rest.append(entry)
      case .settled(let info): settled.append(info)
      case .gone: break
      }
    }
    guard rest.count < entries.count else { return nil }
    entries = rest
    return settled
  }
}
