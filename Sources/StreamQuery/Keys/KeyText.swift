#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Positions in the text of a key, and the errors of writing such a text.
enum KeyText {
  /// The position at which something is written in the text of a key.
  struct Position {
    var codingPath: [any CodingKey] = []
    /// The number of lists and objects that enclose this position.
    var depth: Int
    /// The number of `encode(to:)` calls that enclose this position.
    ///
    /// The number may exceed `depth`: a value that encodes itself as a single value opens no list or object.
    var level = 0

    /// The position inside a list or object that opens here.
    ///
    /// - Throws: ``TooDeep`` if too many lists and objects enclose that position.
    func opened() throws(TooDeep) -> Self {
      guard depth < KeyNesting.text else { throw TooDeep() }
      return Self(codingPath: codingPath, depth: depth + 1, level: level)
    }
  }

  /// The error if something nests deeper than ``KeyNesting/text`` or ``KeyNesting/encoded`` levels.
  struct TooDeep: Error {}

  /// The defect of a part of a key, before the position of the part is known.
  struct Failure: Error {
    var typeName: String
    var reason: KeyEncodingError.Reason

    static func tooDeep(typeName: String) -> Self {
      Self(typeName: typeName, reason: .tooDeep(limit: KeyNesting.text))
    }
  }
}

extension AnyQueryKey {
  /// Returns the canonical text of the parts, the same on every launch and platform.
  ///
  /// It is a JSON array: strings, integers (`Int`), booleans, `nil`, arrays and records look as in
  /// JSON; every other part is an object named `$` and its type, such as
  /// `{"$Foundation.UUID":"…"}`, so that equal texts mean equal keys. Parts are written by their
  /// `Encodable` conformance or their raw value, with sets, dictionaries and fields sorted. A set or
  /// dictionary is not sorted if a type's `encode(to:)` calls the collection's `encode(to:)` itself,
  /// instead of passing the collection to a container. If a type's `==` and `encode(to:)` disagree,
  /// one key has several texts.
  ///
  /// Keys may nest to any depth; those that nest deeper than 64 levels have no text.
  ///
  /// A private or local type has a different name in each build, so it has no text. A string that contains
  /// such a name, such as the first part of a `KeyTuple` made from the type, has no text either.
  ///
  /// - Returns: The text.
  /// - Throws: ``KeyEncodingError`` if a part is not `Encodable`, its type is private or local, or
  ///   it nests too deeply.
  /// - Complexity: O(*n*) in the length of the text, and O(*n* log *n*) where something is sorted.
  public func canonicalText() throws(KeyEncodingError) -> String {
    var texts: [String] = []
    texts.reserveCapacity(storage.parts.count)
    for (index, part) in storage.parts.enumerated() {
      do throws(KeyText.Failure) {
        texts.append(try part.canonicalText(depth: 1))
      } catch {
        throw KeyEncodingError(part: index, typeName: error.typeName, reason: error.reason)
      }
    }
    return KeyTextNode.list(texts)
  }
}

extension QueryKey {
  /// Returns the canonical text of the value type and the parts: `App.User["user",42]`.
  ///
  /// - Returns: The name of the type with its module, followed by
  ///   ``AnyQueryKey/canonicalText()``.
  /// - Throws: ``KeyEncodingError`` if a part is not `Encodable` or nests too deeply, or its type
  ///   or the value type is private or local.
  public func canonicalText() throws(KeyEncodingError) -> String {
    try EntryKey(self).canonicalText()
  }
}

extension EntryKey {
  /// Returns the canonical text of the value type and the parts.
  package func canonicalText() throws(KeyEncodingError) -> String {
    let name = stableName(of: valueType)
    guard hasStableName(name) else {
      throw KeyEncodingError(part: nil, typeName: name, reason: .unstableTypeName)
    }
    return name + (try key.canonicalText())
  }
}

extension KeyPart {
  /// Returns the part's canonical text.
  ///
  /// - Parameter depth: The number of brackets around the part.
  /// - Returns: The text.
  /// - Throws: The fault of the part.
  func canonicalText(depth: Int) throws(KeyText.Failure) -> String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .int(let value): return value.description
    case .string(let value):
      // The string may be the name of a type, from a `KeyTuple`, and that name may differ between builds.
      guard hasStableName(value) else {
        throw KeyText.Failure(typeName: value, reason: .unstableTypeName)
      }
      return KeyTextNode.quoted(value)
    case .double(let bits):
      return KeyTextNode.tagged("Swift.Double", KeyTextNode.real(Double(bitPattern: bits)))
    case .float(let bits):
      return KeyTextNode.tagged("Swift.Float", KeyTextNode.real(Float(bitPattern: bits)))
    case .type(let type):
      return KeyTextNode.tagged("type", KeyTextNode.quoted(try checkedName(of: type)))
    case .list(let elements):
      guard depth < KeyNesting.text else { throw .tooDeep(typeName: "Array") }
      var texts: [String] = []
      for element in elements { texts.append(try element.canonicalText(depth: depth + 1)) }
      return KeyTextNode.list(texts)
    case .record(let fields):
      guard depth < KeyNesting.text else { throw .tooDeep(typeName: "KeyRecord") }
      var texts: [(name: String, text: String)] = []
      for field in fields {
        texts.append((field.name, try field.part.canonicalText(depth: depth + 1)))
      }
      return KeyTextNode.object(texts)
    case .deep(let part):
      return try part.content.canonicalText(depth: depth)
    case .boxed(let box):
      let name = try checkedName(of: Swift.type(of: box.value))
      guard depth < KeyNesting.text else { throw .tooDeep(typeName: name) }
      return KeyTextNode.tagged(name, try payloadText(of: box.value, depth: depth + 1))
    }
  }
}

private func checkedName(of type: any Any.Type) throws(KeyText.Failure) -> String {
  let name = stableName(of: type)
  guard hasStableName(name) else {
    throw KeyText.Failure(typeName: name, reason: .unstableTypeName)
  }
  return name
}

/// Returns the text of a value without its type; the caller writes the type as a tag.
private func payloadText(of value: any Hashable, depth: Int) throws(KeyText.Failure) -> String {
  if let value = value as? any TextKeyPart { return KeyTextNode.quoted(value.keyText) }
  let encodable: any Encodable
  if let value = value as? any Encodable {
    encodable = value
  } else if let value = value as? any RawRepresentable, let raw = rawValue(of: value) {
    encodable = raw
  } else {
    throw KeyText.Failure(typeName: stableName(of: type(of: value)), reason: .notEncodable)
  }
  do {
    return try KeyTextNode.text(of: encodable, at: KeyText.Position(depth: depth))
  } catch is KeyText.TooDeep {
    throw .tooDeep(typeName: stableName(of: type(of: value)))
  } catch {
    throw KeyText.Failure(
      typeName: stableName(of: type(of: value)),
      reason: .failed(String(describing: error))
    )
  }
}

private func rawValue(of value: some RawRepresentable) -> (any Encodable)? {
  value.rawValue as? any Encodable
}

/// A type that is not `Encodable`, but has an exact text.
private protocol TextKeyPart {
  var keyText: String { get }
}

extension Character: TextKeyPart {
  fileprivate var keyText: String { String(self) }
}

extension Substring: TextKeyPart {
  fileprivate var keyText: String { String(self) }
}

extension Unicode.Scalar: TextKeyPart {
  fileprivate var keyText: String { String(self) }
}

extension Set: CanonicallyEncodable where Element: Encodable {
  func canonicalText(at position: KeyText.Position) throws -> String {
    let inner = try position.opened()
    return KeyTextNode.list(ofSorted: try map { try KeyTextNode.text(of: $0, at: inner) })
  }
}

extension Dictionary: CanonicallyEncodable where Key: Encodable, Value: Encodable {
  func canonicalText(at position: KeyText.Position) throws -> String {
    // A list of pairs opens two brackets.
    let inner = try Key.self == String.self ? position.opened() : position.opened().opened()
    let pairs = try map { key, value in
      (
        key: try KeyTextNode.text(of: key, at: inner),
        value: try KeyTextNode.text(of: value, at: inner),
        name: key as? String
      )
    }
    guard Key.self != String.self else {
      return KeyTextNode.object(pairs.map { ($0.name ?? $0.key, $0.value) })
    }
    return KeyTextNode.list(ofSorted: pairs.map { KeyTextNode.list([$0.key, $0.value]) })
  }
}

extension URL: CanonicallyEncodable {
  func canonicalText(at position: KeyText.Position) -> String {
    let relative = KeyTextNode.quoted(relativeString)
    guard let baseURL else { return relative }
    return KeyTextNode.list([relative, KeyTextNode.quoted(baseURL.absoluteString)])
  }
}

extension Decimal: CanonicallyEncodable {
  /// The text without zeros at its end: 1.0 and 1.00 are equal but encode differently.
  func canonicalText(at position: KeyText.Position) -> String {
    guard !isNaN else { return "\"nan\"" }
    var text = description
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return KeyTextNode.quoted(text)
  }
}

/// Returns the name of a type with its module, the same on every platform.
package func stableName(of type: any Any.Type) -> String {
  let name = String(reflecting: type)
  // Where Foundation is split into two modules, its types carry the name of the smaller one.
  guard occurs("FoundationEssentials.", in: name) else { return name }
  let pieces = name.split(separator: "FoundationEssentials.", omittingEmptySubsequences: false)
  return pieces.joined(separator: "Foundation.")
}

/// Returns whether a type's name is the same in every build and launch.
func hasStableName(_ name: String) -> Bool {
  // Private and local types are printed with the address of their context; expressions in a
  // debugger or a playground live in numbered modules.
  !occurs("(unknown context at $", in: name) && !occurs("__lldb_expr_", in: name)
}

/// Returns whether a text occurs in a name.
///
/// Bytes are enough for names. The standard library's search builds tables for each call, which took most of
/// the time of making a key's text.
private func occurs(_ text: String, in name: String) -> Bool {
  var rest = name.utf8[...]
  while rest.count >= text.utf8.count {
    if rest.starts(with: text.utf8) { return true }
    rest.removeFirst()
  }
  return false
}
