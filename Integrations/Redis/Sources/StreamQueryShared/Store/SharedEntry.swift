/// A stored value: bytes, and the name of their form.
public struct SharedValue: Hashable, Sendable {
  /// The encoded value.
  public var bytes: [UInt8]
  /// The name of the form of the bytes.
  ///
  /// For a reader that expects another form, the entry is missing.
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
  /// The version of its commit or write, which is its place in the log.
  public var version: SharedVersion
  /// The time since the entry was committed or written, by the store's clock.
  public var age: Duration
  /// The most time that can have passed since the value was requested from upstream: the time since
  /// its lease was taken.
  ///
  /// It is measured by the same clock. A written value was requested at its write. `nil` if the store does
  /// not know it. A machine compares it with data that did not come from the store. Without it, a value
  /// counts as older by the store's timeout, so that some machines ask upstream without need. It also bounds
  /// the age of upstream's answer: without it, an entry counts as younger by the time that its commit took to
  /// reach the store.
  public var requestAge: Duration?

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - version: The version of its commit or write.
  ///   - age: The time since that.
  ///   - requestAge: The time since its request, at most; `nil` if it is not known.
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
  /// The fencing token, which is higher than that of each earlier lease of the key.
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

/// The result of ``SharedStore/begin(_:maxAge:lease:)``.
public enum SharedBeginning: Hashable, Sendable {
  /// An entry that is young enough.
  case entry(SharedEntry)
  /// The caller fetches, with a lease. The entry is valid, but too old.
  case leads(SharedLease, entry: SharedEntry?)
  /// Another caller fetches. Its lease ends after `remaining` unless it is renewed; the log has its
  /// result, from `position` on. The entry is valid, but too old.
  case follows(position: SharedPosition, remaining: Duration, entry: SharedEntry?)
}
