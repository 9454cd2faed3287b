#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Bytes under a key.
public struct StoreRecord: Hashable, Sendable {
  /// The key.
  ///
  /// Texts of keys are in composed Unicode form (NFC), so that a store may compare their bytes.
  public var key: String

  /// The value, which a store does not interpret.
  ///
  /// A loaded value may be a slice of all bytes that were read with it, which then live as long as the value.
  public var value: Data

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  public init(key: String, value: Data) {
    self.key = key
    self.value = value
  }
}
