internal import StreamQuery

/// The entries that an export names as pending; the export reports their states to this value.
///
/// Examining the entries, and making an archive with all remaining names, takes time in proportion to their
/// number. So if there are many entries, they are examined once for several fetches that have ended.
struct PendingEntries {
  private(set) var keys: [EntryKey] = []
  /// The texts of `keys` in archives, in the same order.
  private(set) var texts: [String] = []

  /// The earliest time of the next examination, however many fetches end before.
  private(set) var nextLook = Instant.distantPast

  var isEmpty: Bool { keys.isEmpty }

  /// The minimum time between two examinations: a millisecond for each 20 entries, and none for fewer than a
  /// hundred.
  private var gap: TimeSpan { keys.count < 100 ? .zero : TimeSpan(.microseconds(50) * keys.count) }

  mutating func add(_ key: EntryKey, _ text: String) {
    keys.append(key)
    texts.append(text)
  }

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
