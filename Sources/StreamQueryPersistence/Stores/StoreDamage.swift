/// A place in a store whose bytes were changed, and were therefore omitted.
///
/// The batches at such a place are lost. A key that they changed has its value from before them, if
/// there was one.
public struct StoreDamage: Hashable, Sendable, CustomStringConvertible {
  /// The place in the store's own terms: a file and an offset, or a row.
  public var place: String
  /// The number of omitted bytes.
  public var byteCount: Int

  /// Creates a description of damage.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - byteCount: The number of omitted bytes.
  public init(place: String, byteCount: Int) {
    self.place = place
    self.byteCount = byteCount
  }

  /// The place and the number of bytes.
  public var description: String { "\(byteCount) damaged bytes in \(place) were left out" }
}
