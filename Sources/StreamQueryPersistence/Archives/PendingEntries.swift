internal import StreamQuery

/// The entries whose fetches an export awaits: a value that is told their states.
///
/// A look at them, and an archive with all remaining names, costs time in proportion to their
/// number. So if there are many, several ends share a look.
struct PendingEntries {
  private(set) var keys: [EntryKey] = []
  /// The names of the entries in archives, in the same order.
  private(set) var texts: [String] = []

  /// The earliest time of the next look, after an end.
  private(set) var nextLook = Instant.distantPast

  var isEmpty: Bool { keys.isEmpty }

  /// The time for which ends are gathered: 20 names take a millisecond, and fewer than a hundred
  /// none.
  private var gap: TimeSpan { keys.count < 100 ? .zero : TimeSpan(.microseconds(50) * keys.count) }

  mutating func add(_ key: EntryKey, _ text: String) {
    keys.append(key)
    texts.append(text)
  }

  /// An archive names all of them.
  mutating func named(at now: Instant) { nextLook = now + gap ?? now }

  /// Takes the present states of the entries, in their order.
  ///
  /// - Parameters:
  ///   - present: The state of each.
  ///   - now: The time.
  /// - Returns: The entries that are not awaited any more and still exist; `nil` if all are
  ///   fetching.
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
