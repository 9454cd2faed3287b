/// A stored value: its bytes, and the name of their encoding.
public struct SharedValue: Hashable, Sendable {
  /// The encoded value.
  public var bytes: [UInt8]
  /// The name of the bytes' encoding.
  ///
  /// A reader that expects another encoding treats the entry as missing.
  public var form: String

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - bytes: The encoded value.
  ///   - form: The name of the bytes' encoding.
  public init(_ bytes: [UInt8], form: String) {
    self.bytes = bytes
    self.form = form
  }
}

/// An entry of a ``SharedStore``.
public struct SharedEntry: Hashable, Sendable {
  /// The value.
  public var value: SharedValue
  /// The version of the commit or write that stored the entry, which is its place in the log.
  public var version: SharedVersion
  /// The time since the entry was committed or written, by the store's clock.
  public var age: Duration
  /// An upper bound of the time since the value was requested from upstream; `nil` if it is not known.
  ///
  /// It is the time since the lease was taken, or since the write of a written value, by the store's clock.
  ///
  /// A machine uses it to compare the entry with data that did not come from the store. If it is `nil`, the
  /// machine assumes that the request was earlier by the store's timeout, so some machines ask upstream
  /// without need. It also limits how old the answer can be: if it is `nil`, the entry counts as younger by
  /// the time that the commit took to reach the store.
  public var requestAge: Duration?

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - version: The version of the commit or write.
  ///   - age: The time since the commit or write.
  ///   - requestAge: The longest possible time since the request; `nil` if it is not known.
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
  /// The key and its marks; the invalidation of any of these marks ends the lease.
  public var key: SharedKey
  /// The fencing token, which is higher than that of each earlier lease of the key.
  public var token: UInt64
  /// The history of the store's log when the lease was given.
  public var history: SharedHistory

  /// Creates a lease.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - token: The fencing token.
  ///   - history: The history of the store's log.
  public init(key: SharedKey, token: UInt64, history: SharedHistory) {
    self.key = key
    self.token = token
    self.history = history
  }
}

/// The result of ``SharedStore/begin(_:maxAge:lease:)``.
public enum SharedBeginning: Hashable, Sendable {
  /// The store has an entry that is young enough.
  case entry(SharedEntry)
  /// The caller has got the lease, and must fetch.
  ///
  /// If the store has an entry that is valid but too old, it is `entry`.
  case leads(SharedLease, entry: SharedEntry?)
  /// Another caller fetches; its lease ends after `remaining`, unless it is renewed.
  ///
  /// The result of the fetch will be a message of the log after `position`. If the store has an entry that
  /// is valid but too old, it is `entry`.
  case follows(position: SharedPosition, remaining: Duration, entry: SharedEntry?)
}
