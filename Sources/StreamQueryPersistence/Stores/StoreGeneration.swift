/// The life of a partition between two wipes.
///
/// A batch names the generation that its writer has loaded. If the partition was wiped since, the batch is
/// refused, so that a late save does not bring back wiped records.
public struct StoreGeneration: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The generation of a partition that was never wiped.
  public static let first = Self(number: 0)

  /// The number of wipes before this generation; stores may skip numbers.
  public let number: UInt64

  /// Creates a generation.
  ///
  /// - Parameter number: The number of wipes before the generation.
  public init(number: UInt64) {
    self.number = number
  }

  /// The next generation, which a wipe of this one begins.
  public var next: Self {
    // The addition wraps around, because a number from damaged bytes must not end the process.
    Self(number: number &+ 1)
  }

  /// Returns whether one generation is earlier than another.
  ///
  /// - Parameters:
  ///   - left: A generation.
  ///   - right: Another generation of the same partition.
  /// - Returns: Whether `left` is older.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The number as text.
  public var description: String { "\(number)" }
}
