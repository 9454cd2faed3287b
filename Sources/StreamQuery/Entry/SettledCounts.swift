/// How often an entry got data and how often a fetch of it failed: what "fetched since" is measured
/// by.
package struct SettledCounts: Hashable, Sendable {
  package var data: Int
  package var errors: Int

  /// The counts of an entry on its first day.
  package static let zero = SettledCounts(data: 0, errors: 0)

  /// Whether there is something that an observer which saw the other counts has not seen; a reset
  /// sets the counts back.
  package func exceed(_ base: SettledCounts) -> Bool {
    data > base.data || errors > base.errors
  }
}
