internal import StreamQuery

/// The keys that the cache knows, by their names in archives.
///
/// Making a name runs users' code, and the cache may know many thousands of keys. So each name is made once
/// for all archives of an import, and none is made if the archives bring only expected keys.
struct KnownNames {
  private var keys: [String: EntryKey] = [:]
  private var seen: Set<EntryKey> = []
  /// The number of entries that the cache had made so far at the last search.
  private var serial: UInt64?

  /// The key of a name; `nil` if the cache did not know it.
  subscript(name: String) -> EntryKey? { keys[name] }

  /// Whether one of these names is unknown, and a new search of the cache may find it.
  func misses(_ names: [String], at serial: UInt64) -> Bool {
    serial != self.serial && names.contains { keys[$0] == nil }
  }

  /// The cache was searched.
  mutating func found(_ present: [EntryKey], at serial: UInt64) {
    self.serial = serial
    for key in present where seen.insert(key).inserted {
      if let text = try? key.canonicalText() { keys[text] = key }
    }
  }
}
