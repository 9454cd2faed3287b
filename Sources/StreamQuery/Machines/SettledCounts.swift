/// How often an entry got data and how often a fetch of it failed; "fetched since" is measured by
/// these.
package struct SettledCounts: Hashable, Sendable {
  // As small as the counts of the entry: every observer stores them.
  @SmallCount var data: Int
  @SmallCount var errors: Int

  /// The counts of a new entry.
  package static let zero = SettledCounts(data: 0, errors: 0)

  /// Whether there is anything new for an observer that saw the other counts; a reset sets the
  /// counts back.
  package func exceed(_ base: SettledCounts) -> Bool {
    data > base.data || errors > base.errors
  }
}

/// A count that takes half a word, because every entry has many of them and there are many entries.
///
/// It wraps above two thousand million, which no real count reaches; nothing traps.
@propertyWrapper
struct SmallCount: Hashable, Sendable {
  private var stored: Int32

  init(wrappedValue: Int) {
    stored = Int32(truncatingIfNeeded: wrappedValue)
  }

  var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(truncatingIfNeeded: newValue) }
  }
}
