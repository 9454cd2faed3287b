/// The beginnings of a key's canonical text, one for each number of parts.
enum KeyBeginnings {
  /// Splits the text of a key, which is a JSON array.
  ///
  /// - Parameter text: The canonical text of a key's parts.
  /// - Returns: The text without its last bracket up to each part: `["user",42]` has the beginnings
  ///   empty, `["user"` and `["user",42`.
  static func all(of text: String) -> [String] {
    var beginnings = [""]
    var (depth, isQuoted, isEscaped) = (0, false, false)
    let bytes = text.utf8
    for index in bytes.indices {
      let byte = bytes[index]
      if isQuoted {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isQuoted = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0, text != "[]" { beginnings.append(String(text[..<index])) }
      case UInt8(ascii: ",") where depth == 1: beginnings.append(String(text[..<index]))
      default: break
      }
    }
    return beginnings
  }
}
