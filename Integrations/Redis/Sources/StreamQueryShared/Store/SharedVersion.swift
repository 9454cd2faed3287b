/// The place of a change in the log of a ``SharedStore``.
///
/// A version is like the identifier of a Redis stream's entry: the milliseconds of the store's clock, and
/// a count within the millisecond. Versions rise even if that clock is set back.
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

/// The identity of a store's log: a random name that an empty store gets.
public struct SharedHistory: Hashable, Sendable {
  /// The name.
  public var name: String

  /// Creates a history.
  ///
  /// - Parameter name: The name.
  public init(_ name: String) { self.name = name }
}

/// A reader's place in the log of a ``SharedStore``: the reader knows all changes up to this place.
public struct SharedPosition: Hashable, Sendable {
  /// The history of the log.
  public var history: SharedHistory
  /// The version of the last change that the reader knows.
  public var version: SharedVersion

  /// Creates a position.
  ///
  /// - Parameters:
  ///   - history: The history of the log.
  ///   - version: The version of the last change that the reader knows.
  public init(history: SharedHistory, version: SharedVersion) {
    self.history = history
    self.version = version
  }
}
