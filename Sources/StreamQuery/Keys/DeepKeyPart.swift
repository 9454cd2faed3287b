/// A list or record with so many levels that a stack may be too short for them.
///
/// How deep a part nests depends on data: 100,000 levels are as valid as one. Nested lists and records are
/// plain values up to a certain depth, and continue in one of these objects below it. So code that descends a
/// part, or frees it, faces a known number of levels. Whether a list becomes such an object depends only on
/// its contents, so equal parts have these objects in the same places.
///
/// Unchecked because `content` is a variable: it changes only in `deinit`, when nobody holds the
/// object any more, or in another object's `deinit`, when only that object holds it.
final class DeepKeyPart: @unchecked Sendable {
  /// A list or a record.
  private(set) var content: KeyPart
  /// The hash of the content, so that hashing does not have to descend.
  let hash: Int

  init(_ content: KeyPart) {
    self.content = content
    var hasher = Hasher()
    content.hash(into: &hasher)
    hash = hasher.finalize()
  }

  deinit {
    var pending: [DeepKeyPart] = []
    takeContent(into: &pending)
    while var part = pending.popLast() {
      if isKnownUniquelyReferenced(&part) { part.takeContent(into: &pending) }
    }
  }

  /// Takes the deeper parts out, so that the caller frees them one by one, and not the content all
  /// at once.
  private func takeContent(into parts: inout [DeepKeyPart]) {
    content.forEachDeepPart { parts.append($0) }
    content = .null
  }
}

extension DeepKeyPart: Hashable {
  static func == (lhs: DeepKeyPart, rhs: DeepKeyPart) -> Bool {
    var pairs = [(lhs, rhs)]
    while let (left, right) = pairs.popLast() {
      if left === right { continue }
      guard left.hash == right.hash,
        left.content.equals(right.content, deferring: { pairs.append(($0, $1)) })
      else { return false }
    }
    return true
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

extension KeyPart {
  /// The elements of an array as one part.
  static func list(of elements: [KeyPart]) -> KeyPart {
    let part = KeyPart.list(elements)
    return part.nesting < KeyNesting.plain ? part : .deep(DeepKeyPart(part))
  }

  /// Fields, sorted by name, as one part.
  static func record(of fields: [KeyField]) -> KeyPart {
    let part = KeyPart.record(fields)
    return part.nesting < KeyNesting.plain ? part : .deep(DeepKeyPart(part))
  }

  /// The number of levels of plain lists and records.
  private var nesting: Int {
    switch self {
    case .list(let elements):
      var deepest = 0
      for element in elements { deepest = max(deepest, element.nesting) }
      return deepest + 1
    case .record(let fields):
      var deepest = 0
      for field in fields { deepest = max(deepest, field.part.nesting) }
      return deepest + 1
    case .null, .bool, .int, .string, .double, .float, .type, .boxed, .deep: return 0
    }
  }

  fileprivate func forEachDeepPart(_ body: (DeepKeyPart) -> Void) {
    switch self {
    case .list(let elements): for element in elements { element.forEachDeepPart(body) }
    case .record(let fields): for field in fields { field.part.forEachDeepPart(body) }
    case .deep(let part): body(part)
    case .null, .bool, .int, .string, .double, .float, .type, .boxed: break
    }
  }

  /// Compares everything but deeply nested parts; the closure gets these in pairs.
  fileprivate func equals(
    _ other: KeyPart,
    deferring: (DeepKeyPart, DeepKeyPart) -> Void
  ) -> Bool {
    switch (self, other) {
    case (.deep(let left), .deep(let right)):
      deferring(left, right)
      return true
    case (.list(let left), .list(let right)):
      guard left.count == right.count else { return false }
      for index in left.indices where !left[index].equals(right[index], deferring: deferring) {
        return false
      }
      return true
    case (.record(let left), .record(let right)):
      guard left.count == right.count else { return false }
      for index in left.indices {
        guard left[index].name == right[index].name,
          left[index].part.equals(right[index].part, deferring: deferring)
        else { return false }
      }
      return true
    default:
      return self == other
    }
  }
}
