/// Where in the text of a key something is written.
struct KeyTextPlace {
  var codingPath: [any CodingKey] = []
  /// How many lists and objects are around it.
  var depth: Int
  /// How many values are around it, which may be more: a value may be written as another one is.
  var level = 0

  /// The place in a list or object there.
  ///
  /// - Throws: ``KeyTextTooDeep`` if there are too many around it.
  func opened() throws(KeyTextTooDeep) -> Self {
    guard depth < KeyNesting.text else { throw KeyTextTooDeep() }
    return Self(codingPath: codingPath, depth: depth + 1, level: level)
  }
}
