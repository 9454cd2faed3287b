#if DEBUG
extension KeyIndex {
  /// The most siblings that are examined in one list of entries or prefixes.
  private static var lookAlikeLimit: Int { 64 }

  /// Finds an entry whose key the reader may have meant: one with the same parts, except that numbers have
  /// another type, or are text in one of the two keys.
  ///
  /// - Parameters:
  ///   - key: The key that was read.
  ///   - counts: Whether an entry may be the one that the reader meant.
  /// - Returns: The entry's id; `nil` if there is none among the first ones examined.
  /// - Complexity: O(1) for each part.
  func lookAlike(of key: KeyStorage, where counts: (Int32) -> Bool) -> Int32? {
    guard let last = key.parts.last else { return nil }
    var prefixes = [KeyIndex.root]
    for part in key.parts.dropLast() {
      prefixes = prefixes.flatMap { prefix in
        neighbours(from: nodes[Int(prefix)].firstChild) { nodes[Int($0)].nextSibling }
          .filter { nodes[Int($0)].part?.resembles(part) == true }
      }
    }
    for prefix in prefixes {
      let found = neighbours(from: nodes[Int(prefix)].firstEntry) { entries[Int($0)].next }
        .first { position in
          let entry = entries[Int(position)]
          return entry.key?.parts.last?.resembles(last) == true && counts(entry.id)
        }
      if let found { return entries[Int(found)].id }
    }
    return nil
  }

  private func neighbours(from first: Int32, _ next: (Int32) -> Int32) -> [Int32] {
    var all: [Int32] = []
    var position = first
    while position != KeyIndex.none, all.count < Self.lookAlikeLimit {
      all.append(position)
      position = next(position)
    }
    return all
  }
}

extension KeyPart {
  /// Whether two parts are equal, or are the same integer in two types, or one is the other's text.
  fileprivate func resembles(_ other: KeyPart) -> Bool {
    if self == other { return true }
    // Two strings never resemble each other, even if both are the same number: "00501" is a zip
    // code.
    if case .string = self, case .string = other { return false }
    guard let number = wholeNumber else { return false }
    return number == other.wholeNumber
  }

  private var wholeNumber: Int128? {
    switch self {
    case .int(let number): Int128(number)
    case .string(let text): Int128(text)
    case .boxed(let box): box.wholeNumber
    case .bool, .null, .double, .float, .type, .list, .record, .deep: nil
    }
  }
}

extension KeyPartBox {
  /// The number, for types of the standard library only: no user code runs.
  fileprivate var wholeNumber: Int128? {
    switch value {
    case let number as Int8: Int128(number)
    case let number as Int16: Int128(number)
    case let number as Int32: Int128(number)
    case let number as Int64: Int128(number)
    case let number as UInt: Int128(number)
    case let number as UInt8: Int128(number)
    case let number as UInt16: Int128(number)
    case let number as UInt32: Int128(number)
    case let number as UInt64: Int128(number)
    default: nil
    }
  }
}
#endif
