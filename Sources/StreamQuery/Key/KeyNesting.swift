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

/// What finds out how deep a JSON text nests, before anything recursive reads it.
///
/// It knows brackets and strings and no more: what else is no JSON, the reader finds out.
struct JSONNesting {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Why a text must not be given to a reader.
  enum Fault {
    /// It nests deeper than it may.
    case tooDeep
    /// It has a byte that UTF-8 or JSON forbids, by which readers would take it for another encoding.
    case notUTF8
  }

  /// Says what is wrong with a text.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - limit: How many levels are allowed.
  /// - Returns: Why a reader must not get it; `nil` if it may.
  /// - Complexity: O(*n*) in the length of the text.
  static func fault(in bytes: some Sequence<UInt8>, limit: Int) -> Fault? {
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
