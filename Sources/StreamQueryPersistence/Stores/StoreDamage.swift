/// A place in a store with damaged bytes, which were omitted.
///
/// The batches at such a place are lost. A key that they changed has its earlier value again, if there was
/// one.
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

  /// A text with the place and the number of bytes.
  public var description: String { "\(byteCount) damaged bytes in \(place) were left out" }
}
