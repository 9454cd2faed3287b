/// Whether a client keeps a ``QueryRecord`` of what happens in it.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.record = .last(1_000)
/// ```
public struct RecordPolicy: Sendable, _FreeOfActors {
  /// The largest number of events that a client keeps.
  static let limit = 1_000_000

  /// The number of events that the client keeps; 0 keeps none.
  let count: Int
  let values: RecordedValues?

  /// Keeps nothing; the default.
  public static var off: Self { RecordPolicy(count: 0, values: nil) }

  /// Keeps the newest events, and the state before them.
  ///
  /// The memory for the events, about 64 bytes for each, is taken when the client is created. A key takes
  /// about 100 bytes more. Keys and errors become texts only when the record is taken.
  ///
  /// - Parameters:
  ///   - count: The number of events; less than 1 counts as 1, and more than a million as a million.
  ///   - values: The values to keep with them; none by default.
  /// - Returns: The policy.
  public static func last(_ count: Int, values: RecordedValues? = nil) -> Self {
    RecordPolicy(count: min(max(count, 1), limit), values: values)
  }
}

/// The values of entries that a record has, as JSON.
///
/// A record has no values unless you ask for them, because it is made to be passed on. Leave out what others
/// must not see:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.record = .last(1_000, values: RecordedValues { key, value in
///   key == ["session"] ? nil : RecordedValues.json(of: value)
/// })
/// ```
public struct RecordedValues: Sendable, _FreeOfActors {
  let maxBytes: Int
  let text: @Sendable (_ key: AnyQueryKey, _ value: any Sendable) -> String?

  /// Keeps the texts that a closure makes of values.
  ///
  /// - Parameters:
  ///   - maxBytes: The size of all texts together, in bytes of UTF-8; the oldest go first. One mebibyte by
  ///     default.
  ///   - text: Returns the JSON of a value, or `nil` to leave it out. The closure is called outside of locks,
  ///     once for each value that is fetched or written, in order, without task-locals. It must be quick:
  ///     everything that happens next waits for it.
  public init(
    maxBytes: Int = 1_048_576,
    _ text: @escaping @Sendable (_ key: AnyQueryKey, _ value: any Sendable) -> String?
  ) {
    self.maxBytes = max(maxBytes, 0)
    self.text = text
  }

  /// Keeps each value that is `Encodable`.
  public static var encodable: Self { Self { _, value in json(of: value) } }

  /// Returns the JSON of a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: The text; `nil` if the value is not `Encodable`, cannot be encoded or nests too deeply.
  public static func json(of value: any Sendable) -> String? {
    guard let value = value as? any Encodable else { return nil }
    return ValueJSON.text(of: value)
  }
}
