/// How deeply keys and values may nest in code that uses the stack for each level.
///
/// Threads may have stacks of 512 kB, and the program does not control how deeply data nests. A
/// level costs 2 kB at most, in a debug build and with the user's own conformances in between.
package enum KeyNesting {
  /// Levels of lists and records in one value; deeper ones continue in a ``DeepKeyPart``.
  static let plain = 16
  /// Levels of brackets in the text of a key, including the outermost one.
  static let text = 64
  /// Levels that are read from the text of a key: ``text``, and room for the levels that numbers and URLs
  /// open and that ``text`` does not count.
  static let read = text + 4
  /// Calls of `encode(to:)` inside each other, whether a call opens a bracket or not.
  static let encoded = 2 * text
  /// Levels of brackets in an archive.
  ///
  /// Its keys and values are strings, so their brackets do not count.
  package static let archive = 16
  /// Levels of brackets in a value.
  package static let value = 128
  /// Levels of lists and records that logs show.
  static let shown = plain
}

/// Determines how deeply a JSON text nests before anything recursive reads it.
///
/// This checks only brackets and strings; the reader finds all other errors in the JSON.
package struct JSONNesting {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// The reasons why a text must not be given to a reader.
  package enum Fault {
    /// The text nests deeper than the limit.
    case tooDeep
    /// The text has a byte that UTF-8 or JSON forbids and that readers would take as a sign of another
    /// encoding.
    case notUTF8
  }

  /// Checks a text.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - limit: How many levels are allowed.
  /// - Returns: The reason why a reader must not get the text; `nil` if it may.
  /// - Complexity: O(*n*) in the length of the text.
  package static func fault(in bytes: UnsafeRawBufferPointer, limit: Int) -> Fault? {
    var nesting = JSONNesting()
    for byte in bytes {
      if byte == 0 || byte >= 0xfe { return .notUTF8 }
      if !nesting.read(byte, limit: limit) { return .tooDeep }
    }
    return nil
  }

  @inline(__always)
  private mutating func read(_ byte: UInt8, limit: Int) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return true
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      depth += 1
      return depth <= limit
    case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
    default: break
    }
    return true
  }
}
