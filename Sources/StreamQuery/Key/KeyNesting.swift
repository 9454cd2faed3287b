/// How deep things may nest where a stack holds them.
///
/// Threads may have stacks of 512 kB, and how deep data nests is not up to the program. A level costs
/// 2 kB at most, in a debug build and with the user's own conformances in between.
enum KeyNesting {
  /// Levels of lists and records in one value; what nests deeper goes on in a ``DeepKeyPart``.
  static let plain = 16
  /// Levels of brackets in the text of a key, the outermost one included.
  static let text = 64
  /// Levels that are read of the text of a key: numbers and URLs open up to two of their own.
  static let read = text + 4
  /// Values within values that are encoded, whether they open a bracket or not.
  static let encoded = 2 * text
  /// Levels of brackets in an archive, whose keys and values are strings in it.
  static let archive = 16
  /// Levels of brackets in a value.
  static let value = 128
  /// Levels of lists and records that logs show.
  static let shown = plain
}
