/// Why a text is no JSON.
struct JSONError: Error, CustomStringConvertible {
  var offset: Int
  var description: String { "no JSON at byte \(offset)" }
}

extension JSON {
  /// Parses a text.
  ///
  /// Written out, because Foundation's readers lose the difference between `1` and `true` on some
  /// platforms and thousands of files are read.
  init(parsing text: String) throws {
    var parser = JSONParser(bytes: Array(text.utf8))
    self = try parser.document()
  }
}

private struct JSONParser {
  let bytes: [UInt8]
  var position = 0
  /// How many arrays and objects are open: a file must not be able to exhaust the stack.
  private var depth = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func document() throws -> JSON {
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw failure }
    return value
  }

  private var failure: JSONError { JSONError(offset: position) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() throws -> JSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try nested { try $0.object() }
    case UInt8(ascii: "["): return try nested { try $0.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested(_ body: (inout Self) throws -> JSON) throws -> JSON {
    guard depth < 200 else { throw failure }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  private mutating func word(_ text: String, _ value: JSON) throws -> JSON {
    guard bytes[position...].starts(with: text.utf8) else { throw failure }
    position += text.utf8.count
    return value
  }

  private mutating func object() throws -> JSON {
    position += 1
    var fields: [String: JSON] = [:]
    if take(UInt8(ascii: "}")) { return .object(fields) }
    repeat {
      skipSpace()
      let name = try string()
      guard take(UInt8(ascii: ":")) else { throw failure }
      fields[name] = try value()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw failure }
    return .object(fields)
  }

  private mutating func array() throws -> JSON {
    position += 1
    var elements: [JSON] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw failure }
    return .array(elements)
  }

  private mutating func number() throws -> JSON {
    let start = position
    while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let value = Int(text) { return .int(value) }
    guard let value = Double(text) else { throw failure }
    // JSON knows one kind of number: 1.0 is 1.
    return Int(exactly: value).map(JSON.int) ?? .double(value)
  }

  private mutating func string() throws -> String {
    guard next == UInt8(ascii: "\"") else { throw failure }
    position += 1
    var units: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"): units += Array(String(try escape()).utf8)
      default: units.append(byte)
      }
    }
    throw failure
  }

  private mutating func escape() throws -> Character {
    guard let byte = next else { throw failure }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "u"):
      let first = try hex()
      guard UTF16.isLeadSurrogate(first) else { return try character(UInt32(first)) }
      guard bytes[position...].starts(with: "\\u".utf8) else { throw failure }
      position += 2
      let pair = [first, try hex()]
      return String(decoding: pair, as: UTF16.self).first ?? "\u{FFFD}"
    default: return Character(UnicodeScalar(byte))
    }
  }

  private func character(_ code: UInt32) throws -> Character {
    guard let scalar = UnicodeScalar(code) else { throw failure }
    return Character(scalar)
  }

  private mutating func hex() throws -> UInt16 {
    guard position + 4 <= bytes.count else { throw failure }
    let text = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard let code = UInt16(text, radix: 16) else { throw failure }
    position += 4
    return code
  }
}
