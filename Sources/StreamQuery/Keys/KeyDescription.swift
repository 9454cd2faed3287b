extension AnyQueryKey: CustomStringConvertible {
  /// A short text for logs, such as `["user", 42]`; equal keys have the same text in every process.
  ///
  /// The text is not unique: use ``canonicalText()`` to tell keys apart.
  @_documentation(visibility: internal)
  public var description: String { KeyPart.list(Array(storage.parts)).logText() }
}

extension QueryKey: CustomStringConvertible {
  /// A short text for logs, such as `["user", 42] as User`.
  @_documentation(visibility: internal)
  public var description: String { "\(erased) as \(Value.self)" }
}

extension EntryKey: CustomStringConvertible {
  package var description: String { "\(key) as \(valueType)" }
}

extension KeyRecord: CustomStringConvertible {
  /// A short text for logs, with the fields sorted by name.
  @_documentation(visibility: internal)
  public var description: String { KeyPart.record(fields).logText() }
}

extension KeyPart {
  /// The part as logs show it; levels that are too deep are left out.
  func logText(depth: Int = 0) -> String {
    if depth >= KeyNesting.shown, matchesMoreThanItself { return "…" }
    return switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): "\(value)"
    case .string(let value): KeyTextNode.quoted(value)
    case .double(let bits): "\(Double(bitPattern: bits))"
    case .float(let bits): "\(Float(bitPattern: bits))"
    case .type(let type): "\(type).self"
    case .list(let elements):
      "[" + elements.map { $0.logText(depth: depth + 1) }.joined(separator: ", ") + "]"
    case .record(let fields):
      "{"
        + fields.map { "\($0.name): \($0.part.logText(depth: depth + 1))" }
        .joined(separator: ", ") + "}"
    case .deep(let part): part.content.logText(depth: depth)
    case .boxed(let box): logTextOf(box.value)
    }
  }
}

/// Describes any value without showing the order of a hash table.
///
/// `String(describing:)` visits sets and dictionaries in an order that differs between launches. If a
/// value describes itself, its description is used unchanged.
private func logTextOf(_ value: Any, depth: Int = 0) -> String {
  // Objects may refer to themselves.
  guard depth < 8 else { return "…" }
  func text(_ child: Any) -> String { logTextOf(child, depth: depth + 1) }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .set:
    return "{" + mirror.children.map { text($0.value) }.sorted().joined(separator: ", ") + "}"
  case .dictionary:
    let pairs = mirror.children.map { child in
      Mirror(reflecting: child.value).children.map { text($0.value) }.joined(separator: ": ")
    }
    return "[" + pairs.sorted().joined(separator: ", ") + "]"
  case .collection:
    return "[" + mirror.children.map { text($0.value) }.joined(separator: ", ") + "]"
  case .optional:
    return mirror.children.first.map { text($0.value) } ?? "nil"
  default:
    break
  }
  if let value = value as? String { return KeyTextNode.quoted(value) }
  if let value = value as? any CustomStringConvertible { return value.description }
  let children = mirror.children.map { child in
    child.label.map { "\($0): \(text(child.value))" } ?? text(child.value)
  }
  let type = type(of: value)
  switch mirror.displayStyle {
  case .enum:
    guard let payload = mirror.children.first, let name = payload.label else { return "\(value)" }
    let content = text(payload.value)
    return "\(name)\(content.hasPrefix("(") ? content : "(\(content))")"
  case .tuple:
    return "(" + children.joined(separator: ", ") + ")"
  default:
    return "\(type)" + (children.isEmpty ? "" : "(" + children.joined(separator: ", ") + ")")
  }
}
