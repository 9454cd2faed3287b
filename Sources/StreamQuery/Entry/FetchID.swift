/// Identifies a fetch among those of one entry; it is also the fence that keeps late answers out.
///
/// A fencing write, a removal, a reset and a newer fetch all make the running fetch's number old.
/// An answer with an old number is a no-op (contract law 7).
package struct FetchID: Hashable, Sendable {
  /// Counts the fetches of an entry.
  package var rawValue: UInt32

  /// Creates an identifier.
  ///
  /// - Parameter rawValue: The number of the fetch.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }
}
