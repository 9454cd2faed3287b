extension AnyQueryKey {
  /// Returns whether a key begins with the parts of this one.
  ///
  /// Parts are compared with `==`, except that a record matches every record that contains its
  /// fields, and an array every array that begins with its elements; both rules apply at any depth.
  /// The key without parts is a prefix of every key, and every key is a prefix of itself.
  ///
  /// - Parameter key: The longer key.
  /// - Returns: Whether this key is a prefix of the other.
  /// - Complexity: O(*n*), where *n* is the number of parts and elements in this key.
  public func isPrefix(of key: AnyQueryKey) -> Bool {
    storage === key.storage || KeyPart.startsWith(storage.parts, within: key.storage.parts)
  }

  /// Returns whether a key begins with the parts of this one, whatever its value type.
  ///
  /// - Parameter key: The longer key.
  /// - Returns: Whether this key is a prefix of the other.
  public func isPrefix<Value>(of key: QueryKey<Value>) -> Bool {
    isPrefix(of: key.erased)
  }
}

extension KeyPart {
  /// Returns whether a part of a key satisfies this part of a prefix.
  func matches(_ part: KeyPart) -> Bool {
    var pairs: [(KeyPart, KeyPart)] = []
    guard matchesPlainly(part, &pairs) else { return false }
    while let (wanted, found) = pairs.popLast() {
      guard wanted.matchesPlainly(found, &pairs) else { return false }
    }
    return true
  }

  /// Compares parts outside of any ``DeepKeyPart``, and adds deep parts to the pairs still to be compared.
  private func matchesPlainly(_ part: KeyPart, _ pairs: inout [(KeyPart, KeyPart)]) -> Bool {
    switch (self, part) {
    case (.list(let elements), .list(let others)):
      return KeyPart.startsWith(elements, within: others, &pairs)
    case (.record(let fields), .record(let others)):
      return KeyPart.containsFields(fields, within: others, &pairs)
    case (.deep(let wanted), .deep(let found)) where wanted === found:
      return true
    // A list or record of the key may have more parts than that of the prefix, so one of the two may
    // be a deep part and the other a plain one.
    case (.deep(let wanted), _):
      pairs.append((wanted.content, part))
      return true
    case (_, .deep(let found)):
      pairs.append((self, found.content))
      return true
    default:
      return self == part
    }
  }

  /// Whether parts that are not equal may satisfy this part of a prefix.
  var matchesMoreThanItself: Bool {
    switch self {
    case .list, .record, .deep: true
    case .null, .bool, .int, .string, .double, .float, .type, .boxed: false
    }
  }

  static func startsWith(_ prefix: ArraySlice<KeyPart>, within parts: ArraySlice<KeyPart>) -> Bool {
    prefix.count <= parts.count && zip(prefix, parts).allSatisfy { $0.matches($1) }
  }

  private static func startsWith(
    _ prefix: [KeyPart],
    within parts: [KeyPart],
    _ pairs: inout [(KeyPart, KeyPart)]
  ) -> Bool {
    guard prefix.count <= parts.count else { return false }
    for index in prefix.indices {
      guard prefix[index].matchesPlainly(parts[index], &pairs) else { return false }
    }
    return true
  }

  /// Whether a record has all wanted fields; both lists are sorted by name, so one pass finds every
  /// field.
  private static func containsFields(
    _ wanted: [KeyField],
    within fields: [KeyField],
    _ pairs: inout [(KeyPart, KeyPart)]
  ) -> Bool {
    guard wanted.count <= fields.count else { return false }
    var index = 0
    for field in wanted {
      while index < fields.count, fields[index].name < field.name { index += 1 }
      guard index < fields.count, fields[index].name == field.name,
        field.part.matchesPlainly(fields[index].part, &pairs)
      else { return false }
      index += 1
    }
    return true
  }
}
