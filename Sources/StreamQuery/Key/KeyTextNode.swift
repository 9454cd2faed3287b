/// A piece of canonical text that is being built: JSON with sorted fields and without spaces.
///
/// A class, since `Encoder` hands containers out that are filled later. Whatever is not plain JSON
/// is an object whose single name starts with `$`; field names that start with `$` get a second
/// one, so that the two never meet.
final class KeyTextNode {
  private enum Content {
    case empty
    case text(String)
    case list([KeyTextNode])
    case object([String: KeyTextNode])
  }

  private var content = Content.empty

  func set(_ text: String) {
    content = .text(text)
  }

  /// Makes the node a list, unless it is one.
  func becomeList() {
    if case .list = content { return }
    content = .list([])
  }

  /// Makes the node an object, unless it is one.
  func becomeObject() {
    if case .object = content { return }
    content = .object([:])
  }

  /// The number of elements of a list.
  var count: Int {
    if case .list(let elements) = content { elements.count } else { 0 }
  }

  /// Appends an element to a list and returns it.
  func append() -> KeyTextNode {
    let node = KeyTextNode()
    guard case .list(var elements) = content else {
      content = .list([node])
      return node
    }
    content = .empty
    elements.append(node)
    content = .list(elements)
    return node
  }

  /// Returns the field of an object, added if it is new.
  func field(_ name: String, replacing: Bool) -> KeyTextNode {
    guard case .object(var fields) = content else {
      let node = KeyTextNode()
      content = .object([name: node])
      return node
    }
    if !replacing, let node = fields[name] { return node }
    let node = KeyTextNode()
    content = .empty
    fields[name] = node
    content = .object(fields)
    return node
  }

  /// The text; a node that nothing was written to is an empty object.
  var text: String {
    switch content {
    case .empty: "{}"
    case .text(let text): text
    case .list(let elements): KeyTextNode.list(elements.map(\.text))
    case .object(let fields): KeyTextNode.object(fields.map { ($0.key, $0.value.text) })
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

  /// Marks a text with what it stands for; `tag` is a type's name with its module, or a word.
  static func tagged(_ tag: String, _ text: String) -> String {
    "{" + quoted("$" + tag) + ":" + text + "}"
  }

  static func list(ofSorted elements: [String]) -> String {
    list(elements.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  /// A JSON string.
  ///
  /// Strings are equal in Swift when they are canonically equivalent, so that their text is that of
  /// the composed form.
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

  /// A number as it is shown, or, where JSON has none, a tagged word.
  static func real<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ value: Number
  ) -> String {
    if value.isNaN { return tagged("real", "\"nan\"") }
    if value.isInfinite { return tagged("real", value < 0 ? "\"-inf\"" : "\"inf\"") }
    return value == 0 ? "0.0" : value.description
  }
}
