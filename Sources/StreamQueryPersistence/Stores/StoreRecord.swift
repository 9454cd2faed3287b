#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value in a store, with its key.
public struct StoreRecord: Hashable, Sendable {
  /// The key of the record.
  ///
  /// Keys are texts in composed Unicode form (NFC), so that a store may compare their bytes.
  public var key: String

  /// The bytes of the value, which a store does not interpret.
  ///
  /// A loaded value may be a slice of more bytes that were read with it; they then live as long as the value.
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
