/// A value as it is stored: bytes, and the name of their form.
public struct SharedValue: Hashable, Sendable {
  /// The encoded value.
  public var bytes: [UInt8]
  /// The form of the bytes; readers that know another form take the entry for missing.
  public var form: String

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - bytes: The encoded value.
  ///   - form: The form of the bytes.
  public init(_ bytes: [UInt8], form: String) {
    self.bytes = bytes
    self.form = form
  }
}

/// An entry of a ``SharedStore``.
public struct SharedEntry: Hashable, Sendable {
  /// The value.
  public var value: SharedValue
  /// When it was committed or written, as a place in the log.
  public var version: SharedVersion
  /// How long ago that was, by the store's clock.
  public var age: Duration
  /// How long ago it was asked for upstream, at most: how long ago its lease was taken.
  ///
  /// It is by the same clock. What was written was asked for then. `nil` if the store does not know.
  /// Whoever has data that did not come from the store compares it with this. Without it, a value
  /// counts as older by as much as the store may take to answer, so that machines ask upstream that
  /// would not have to. It also says how old upstream's answer is at most: without it, an entry counts as
  /// younger by what its commit took to reach the store.
  public var requestAge: Duration?

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - version: When it was committed or written.
  ///   - age: How long ago that was.
  ///   - requestAge: How long ago it was asked for, at most; `nil` if that is not known.
  public init(
    value: SharedValue,
    version: SharedVersion,
    age: Duration,
    requestAge: Duration? = nil
  ) {
    self.value = value
    self.version = version
    self.age = age
    self.requestAge = requestAge
  }
}

/// The right to fetch a key for all machines.
public struct SharedLease: Hashable, Sendable {
  /// The key, with the marks that end the lease.
  public var key: SharedKey
  /// The fencing token: higher than that of each lease of the key before it.
  public var token: UInt64
  /// The life of the log in which the lease was given.
  public var history: SharedHistory

  /// Creates a lease.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - token: The fencing token.
  ///   - history: The life of the log.
  public init(key: SharedKey, token: UInt64, history: SharedHistory) {
    self.key = key
    self.token = token
    self.history = history
  }
}

/// What ``SharedStore/begin(_:maxAge:lease:)`` found.
public enum SharedBeginning: Hashable, Sendable {
  /// There is an entry that is young enough.
  case entry(SharedEntry)
  /// The caller fetches, with a lease. The entry is valid, but older than asked for.
  case leads(SharedLease, entry: SharedEntry?)
  /// Somebody fetches. Its lease ends after `remaining`, if it is not renewed; the log tells what
  /// became of it, from `position` on. The entry is valid, but older than asked for.
  case follows(position: SharedPosition, remaining: Duration, entry: SharedEntry?)
}
