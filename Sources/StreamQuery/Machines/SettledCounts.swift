/// How often data arrived in an entry, and how often its fetch failed; `isFetchedSinceSubscribing` compares
/// these counts.
package struct SettledCounts: Hashable, Sendable {
  // The counts are as small as those of the entry, because every observer stores them.
  @SmallCount var data: Int
  @SmallCount var errors: Int

  /// The counts of a new entry.
  package static let zero = SettledCounts(data: 0, errors: 0)

  /// Whether data or a failure arrived since `base` was taken; a reset sets the counts to zero.
  package func exceed(_ base: SettledCounts) -> Bool {
    data > base.data || errors > base.errors
  }
}

/// A count in half a word, because every entry has several.
///
/// The count wraps above two thousand million instead of trapping; no real count gets there.
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
