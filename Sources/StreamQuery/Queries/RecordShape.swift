/// A pattern for the texts of the keys that a prefix matches.
///
/// Texts cannot simply be compared, because a record or an array in a prefix matches longer ones; see
/// ``AnyQueryKey/isPrefix(of:)-(AnyQueryKey)``.
indirect enum RecordShape: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    /// The name as written in a text, with its colon.
    let name: String
    let shape: RecordShape
  }

  /// Exactly this text.
  case text(String)
  /// An array that begins with these elements.
  case list([RecordShape])
  /// A record with at least these fields.
  case record([Field])

  /// Makes the shape of a part of a prefix.
  ///
  /// This may recurse, because a key that has a text does not nest deeply.
  init(_ part: KeyPart) throws(KeyText.Failure) {
    switch part {
    case .list(let elements): self = .list(try Self.shapes(of: elements))
    case .record(let fields):
      var shapes: [Field] = []
      for field in fields {
        let name = KeyTextNode.object([(field.name, "")]).dropFirst().dropLast()
        shapes.append(Field(name: String(name), shape: try Self(field.part)))
      }
      self = .record(shapes)
    case .deep(let part): self = try Self(part.content)
    case .null, .bool, .int, .string, .double, .float, .type, .boxed:
      self = .text(try part.canonicalText(depth: 1))
    }
  }

  /// Makes the shapes of the parts of a prefix.
  static func shapes(of parts: some Sequence<KeyPart>) throws(KeyText.Failure) -> [RecordShape] {
    var shapes: [RecordShape] = []
    for part in parts { shapes.append(try RecordShape(part)) }
    return shapes
  }

  /// Whether a text has this shape.
  ///
  /// The text comes from a store, so it may be damaged.
  func describes(_ text: Substring.UTF8View) -> Bool {
    switch self {
    case .text(let wanted): return text.elementsEqual(wanted.utf8)
    case .list(let wanted):
      guard let elements = Self.pieces(of: text, between: "[", "]"), wanted.count <= elements.count
      else { return false }
      return zip(wanted, elements).allSatisfy { $0.describes($1) }
    case .record(let wanted):
      guard let fields = Self.pieces(of: text, between: "{", "}"), !Self.isTag(fields.first)
      else { return false }
      return wanted.allSatisfy { field in
        fields.contains {
          $0.starts(with: field.name.utf8)
            && field.shape.describes($0.dropFirst(field.name.utf8.count))
        }
      }
    }
  }

  /// Whether the first field of a JSON object is the tag of a value that is not a record: one `$` begins its
  /// name.
  private static func isTag(_ field: Substring.UTF8View?) -> Bool {
    guard let field else { return false }
    return field.starts(with: #""$"#.utf8) && !field.starts(with: #""$$"#.utf8)
  }

  /// The elements of a list or the fields of an object; `nil` if the text is neither.
  private static func pieces(
    of text: Substring.UTF8View,
    between open: Unicode.Scalar,
    _ close: Unicode.Scalar
  ) -> [Substring.UTF8View]? {
    guard text.count >= 2, text.first == UInt8(ascii: open), text.last == UInt8(ascii: close)
    else { return nil }
    let inner = text.dropFirst().dropLast()
    guard !inner.isEmpty else { return [] }
    var pieces: [Substring.UTF8View] = []
    var (start, depth, isQuoted, isEscaped) = (inner.startIndex, 0, false, false)
    for index in inner.indices {
      switch inner[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isQuoted
      case UInt8(ascii: "\""): isQuoted.toggle()
      case _ where isQuoted: continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        pieces.append(inner[start..<index])
        start = inner.index(after: index)
      default: continue
      }
    }
    return pieces + [inner[start...]]
  }
}
