internal import StreamQuery

/// The keys of the cache's entries, by their text in archives.
///
/// Making a text runs the user's code, and the cache may have many thousands of keys. So each text is made
/// once for all archives of an import, and no text is made while the archives bring only expected keys.
struct KnownNames {
  private var keys: [String: EntryKey] = [:]
  private var seen: Set<EntryKey> = []
  /// The number of entries that the cache had ever made, at the last search.
  private var serial: UInt64?

  /// The key with this text; `nil` if the last search of the cache did not find it.
  subscript(name: String) -> EntryKey? { keys[name] }

  /// Returns whether a text has no known key, and a new search of the cache could find it.
  func misses(_ names: [String], at serial: UInt64) -> Bool {
    serial != self.serial && names.contains { keys[$0] == nil }
  }

  /// Adds the keys that a search of the cache has found.
  mutating func found(_ present: [EntryKey], at serial: UInt64) {
    self.serial = serial
    for key in present where seen.insert(key).inserted {
      if let text = try? key.canonicalText() { keys[text] = key }
    }
  }
}
