/// A piece of canonical text under construction: JSON with sorted fields and without spaces.
///
/// The node is a class, because `Encoder` hands out containers that are filled later. Anything that is not
/// plain JSON is an object with a single name, which starts with `$`. Field names that start with `$` get a
/// second `$`, so the two never collide.
final class KeyTextNode {
  private enum Content {
    case empty
    case text(String)
    case list([KeyTextNode])
    case object([String: KeyTextNode])
    /// The node was to become a list or an object, but too many lists and objects enclose it.
    case tooDeep
  }

  private var content = Content.empty
  /// The number of lists and objects around the node.
  let depth: Int

  init(depth: Int) {
    self.depth = depth
  }

  /// Whether the node discards everything that is written to it.
  ///
  /// Creating a container cannot throw. So such a node hands out containers whose content is lost,
  /// and its text throws.
  var isTooDeep: Bool {
    if case .tooDeep = content { true } else { false }
  }

  func becomeTooDeep() {
    content = .tooDeep
  }

  func set(_ text: String) {
    if isTooDeep { return }
    content = .text(text)
  }

  /// Makes the node a list, unless it already is one.
  func becomeList() {
    switch content {
    case .list, .tooDeep: return
    case .empty, .text, .object: content = depth < KeyNesting.text ? .list([]) : .tooDeep
    }
  }

  /// Makes the node an object, unless it already is one.
  func becomeObject() {
    switch content {
    case .object, .tooDeep: return
    case .empty, .text, .list: content = depth < KeyNesting.text ? .object([:]) : .tooDeep
    }
  }

  /// The number of elements of a list.
  var count: Int {
    if case .list(let elements) = content { elements.count } else { 0 }
  }

  /// Appends an element to a list and returns it.
  func appendElement() -> KeyTextNode {
    if isTooDeep { return self }
    let node = KeyTextNode(depth: depth + 1)
    guard case .list(var elements) = content else {
      content = .list([node])
      return node
    }
    content = .empty
    elements.append(node)
    content = .list(elements)
    return node
  }

  /// Returns the field of an object, adding it if it is new.
  func field(_ name: String, replacing: Bool) -> KeyTextNode {
    if isTooDeep { return self }
    guard case .object(var fields) = content else {
      let node = KeyTextNode(depth: depth + 1)
      content = .object([name: node])
      return node
    }
    if !replacing, let node = fields[name] { return node }
    let node = KeyTextNode(depth: depth + 1)
    content = .empty
    fields[name] = node
    content = .object(fields)
    return node
  }

  /// The text; a node to which nothing was written is an empty object.
  ///
  /// - Throws: ``KeyText.TooDeep`` if something in the node was too deep to be written.
  func text() throws -> String {
    switch content {
    case .empty: "{}"
    case .text(let text): text
    case .list(let elements): KeyTextNode.list(try elements.map { try $0.text() })
    case .object(let fields): KeyTextNode.object(try fields.map { ($0.key, try $0.value.text()) })
    case .tooDeep: throw KeyText.TooDeep()
    }
  }
}

extension KeyTextNode {
  static func list(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  static func object(_ fields: [(name: String, text: String)]) -> String {
    let sorted = fields.sorted { $0.name < $1.name }
    let texts = sorted.map { field in
      quoted(field.name.hasPrefix("$") ? "$" + field.name : field.name) + ":" + field.text
    }
    return "{" + texts.joined(separator: ",") + "}"
  }

  /// Tags a text with its meaning; `tag` is a type's name with its module, or a word.
  static func tagged(_ tag: String, _ text: String) -> String {
    "{" + quoted("$" + tag) + ":" + text + "}"
  }

  static func list(ofSorted elements: [String]) -> String {
    list(elements.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  /// A JSON string.
  ///
  /// Swift strings are equal if they are canonically equivalent, so the text is that of the
  /// composed form.
  static func quoted(_ string: String) -> String {
    let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x80 && $0 != 0x22 && $0 != 0x5c }
    if isPlain { return "\"\(string)\"" }
    var text = "\""
    for scalar in composed(string).unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// A number as text or, if JSON has no form for it, a tagged word.
  static func real<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ value: Number
  ) -> String {
    if value.isNaN { return tagged("real", "\"nan\"") }
    if value.isInfinite { return tagged("real", value < 0 ? "\"-inf\"" : "\"inf\"") }
    return value == 0 ? "0.0" : value.description
  }
}
