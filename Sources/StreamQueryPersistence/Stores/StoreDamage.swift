/// A place in a store whose bytes are not what was written, and were therefore left out.
///
/// The batches at such a place are lost. A key that only they have changed is back at its value
/// before them, if it had any.
public struct StoreDamage: Hashable, Sendable, CustomStringConvertible {
  /// Where it is, as the store names places: a file and an offset, or a row.
  public var place: String
  /// The number of bytes that were left out.
  public var byteCount: Int

  /// Creates a description of damage.
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - byteCount: The number of bytes that were left out.
  public init(place: String, byteCount: Int) {
    self.place = place
    self.byteCount = byteCount
  }

  /// The place and the number of bytes.
  public var description: String { "\(byteCount) damaged bytes in \(place) were left out" }
}
