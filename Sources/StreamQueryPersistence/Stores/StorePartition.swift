internal import StreamQuery

/// A part of a store, such as that of an account or a tenant.
///
/// Partitions share nothing: each has its own records and generations, and is wiped separately.
public struct StorePartition: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The partition of a client that was not given another one.
  public static let main: Self = "main"

  /// The name, in composed Unicode form (NFC): equal names have equal bytes in every store.
  public let name: String

  /// Creates the partition with a name.
  ///
  /// - Parameter name: Any text, such as the identifier of an account. Stores may use it in file names,
  ///   so it should hold no secret.
  public init(_ name: String) {
    self.name = composed(name)
  }

  /// Creates the partition with a literal name.
  ///
  /// - Parameter name: Any text.
  public init(stringLiteral name: String) {
    self.init(name)
  }

  /// The partition's ``name``.
  public var description: String { name }
}
