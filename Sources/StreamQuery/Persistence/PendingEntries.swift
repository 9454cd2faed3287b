/// The entries whose fetches an export awaits: a value that is told how they are.
struct PendingEntries {
  /// What has become of an entry.
  enum Presence {
    case fetching
    /// The fetch has ended or is paused, with or without data.
    case settled(QueryInfo)
    case gone
  }

  private(set) var keys: [EntryKey] = []
  /// Their names in archives, in the same order.
  private(set) var texts: [String] = []

  var isEmpty: Bool { keys.isEmpty }

  mutating func add(_ key: EntryKey, _ text: String) {
    keys.append(key)
    texts.append(text)
  }

  /// Takes note of how the entries are, in their order.
  ///
  /// - Returns: Those that are awaited no longer and are still there; `nil` if all are fetching.
  mutating func looked(at present: [Presence]) -> [QueryInfo]? {
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
