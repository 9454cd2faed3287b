/// A mark of entries that are invalidated together: a key, a prefix of keys, or a tag.
public struct SharedMark: Hashable, Sendable {
  /// The text of the mark; a key, a prefix and a tag never have the same text.
  public var text: String

  /// Creates a mark.
  ///
  /// - Parameter text: The text of the mark.
  public init(_ text: String) { self.text = text }
}

/// A key of a ``SharedStore``, with the marks that invalidate its entry.
public struct SharedKey: Hashable, Sendable {
  /// The text of the key, the same on all machines.
  public var text: String
  /// The marks of the entry, including the key's own: the invalidation of any of them ends the entry.
  public var marks: [SharedMark]

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - text: The text of the key.
  ///   - marks: The marks of the entry: the invalidation of any of them ends the entry.
  public init(_ text: String, marks: [SharedMark]) {
    self.text = text
    self.marks = marks
  }
}
