/// A mark of entries that are invalidated together: a key, the beginning of keys, or a tag.
public struct SharedMark: Hashable, Sendable {
  /// The text of the mark; texts of keys, of their beginnings and of tags are different.
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
  /// The marks whose invalidation ends the entry, the key's own included.
  public var marks: [SharedMark]

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - text: The text of the key.
  ///   - marks: The marks whose invalidation ends the entry.
  public init(_ text: String, marks: [SharedMark]) {
    self.text = text
    self.marks = marks
  }
}
