/// The position at which something is written in the text of a key.
struct KeyTextPlace {
  var codingPath: [any CodingKey] = []
  /// The number of lists and objects around it.
  var depth: Int
  /// The number of values around it, which may be greater: one value may be written as another.
  var level = 0

  /// The position inside a list or object at this place.
  ///
  /// - Throws: ``KeyTextTooDeep`` if there are too many around it.
  func opened() throws(KeyTextTooDeep) -> Self {
    guard depth < KeyNesting.text else { throw KeyTextTooDeep() }
    return Self(codingPath: codingPath, depth: depth + 1, level: level)
  }
}
