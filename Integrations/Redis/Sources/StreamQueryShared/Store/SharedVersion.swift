/// The place of a change in the log of a ``SharedStore``.
///
/// It is the identifier of a Redis stream's entry: the milliseconds of the store's clock, and a
/// count within the millisecond. It rises even if that clock is set back.
public struct SharedVersion: Hashable, Comparable, Sendable {
  /// The milliseconds since 1970 by the store's clock.
  public var milliseconds: UInt64
  /// The count within the millisecond.
  public var sequence: UInt64

  /// Creates a version.
  ///
  /// - Parameters:
  ///   - milliseconds: The milliseconds since 1970 by the store's clock.
  ///   - sequence: The count within the millisecond.
  public init(milliseconds: UInt64, sequence: UInt64) {
    self.milliseconds = milliseconds
    self.sequence = sequence
  }

  /// Whether a change was logged before another.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    (lhs.milliseconds, lhs.sequence) < (rhs.milliseconds, rhs.sequence)
  }
}

/// The life of a store's log: a random name that the store gets when it is empty.
public struct SharedHistory: Hashable, Sendable {
  /// The name.
  public var name: String

  /// Creates a history.
  ///
  /// - Parameter name: The name.
  public init(_ name: String) { self.name = name }
}

/// The place in the log of a ``SharedStore`` up to which a reader knows it.
public struct SharedPosition: Hashable, Sendable {
  /// The life of the log.
  public var history: SharedHistory
  /// The last known change.
  public var version: SharedVersion

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - history: The life of the log.
  ///   - version: The last known change.
  public init(history: SharedHistory, version: SharedVersion) {
    self.history = history
    self.version = version
  }
}
