/// What one observer sees in addition to the snapshot.
package struct QueryFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let stale = QueryFlags(rawValue: 1)
  package static let enabled = QueryFlags(rawValue: 2)
  package static let fetchedSinceSubscribing = QueryFlags(rawValue: 4)
  package static let placeholder = QueryFlags(rawValue: 8)
  package static let restoring = QueryFlags(rawValue: 16)
}
