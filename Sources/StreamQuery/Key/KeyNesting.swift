/// Limits for nesting where it uses the stack.
///
/// Threads may have stacks of 512 kB, and the program does not control how deeply data nests. A
/// level costs 2 kB at most, in a debug build and with the user's own conformances in between.
package enum KeyNesting {
  /// Levels of lists and records in one value; deeper ones continue in a ``DeepKeyPart``.
  static let plain = 16
  /// Levels of brackets in the text of a key, including the outermost one.
  static let text = 64
  /// Levels that are read from the text of a key: numbers and URLs open up to two of their own.
  static let read = text + 4
  /// Values within values that are encoded, whether they open a bracket or not.
  static let encoded = 2 * text
  /// Levels of brackets in an archive; the keys and values in it are strings.
  package static let archive = 16
  /// Levels of brackets in a value.
  package static let value = 128
  /// Levels of lists and records that logs show.
  static let shown = plain
}
