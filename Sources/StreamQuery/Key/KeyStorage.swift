/// The parts of a key and their hash, shared by all copies of it.
///
/// The hash is computed once; it speeds up comparison and never decides it.
final class KeyStorage: Sendable {
  let parts: [KeyPart]
  let hash: Int

  init(_ parts: [KeyPart]) {
    self.parts = parts
    var hasher = Hasher()
    KeyPart.hash(parts, into: &hasher)
    hash = hasher.finalize()
  }

  /// The types of parts, and of elements of lists and records, that are not ours.
  var boxedTypes: [ObjectIdentifier] {
    var types: [ObjectIdentifier] = []
    var open = parts
    while let part = open.popLast() {
      switch part {
      case .boxed(let box): types.append(ObjectIdentifier(type(of: box)))
      case .list(let elements): open += elements
      case .record(let fields): open += fields.map(\.part)
      case .deep(let part): open.append(part.content)
      case .null, .bool, .int, .string, .double, .float, .type: break
      }
    }
    return types
  }

  /// Whether the parts take more room than so many bytes, as far as they say so.
  ///
  /// - Complexity: O(1) for each part that is looked at, and it looks at no more than it has to.
  func isLarger(than limit: Int) -> Bool {
    var left = max(0, limit)
    var open = [parts[...]]
    while var next = open.popLast() {
      guard let part = next.popFirst() else { continue }
      open.append(next)
      switch part {
      case .string(let text): left -= 16 + text.utf8.count
      case .list(let elements):
        left -= 16
        open.append(elements[...])
      case .record(let fields):
        left -= 16
        for field in fields {
          left -= field.name.utf8.count
          open.append([field.part])
        }
      case .deep(let part):
        left -= 16
        open.append([part.content])
      case .null, .bool, .int, .double, .float, .type, .boxed: left -= 16
      }
      if left < 0 { return true }
    }
    return false
  }

  /// The storage of every key that has no parts.
  static let empty = KeyStorage([])
}

extension KeyStorage: Hashable {
  @inline(__always)
  static func == (lhs: KeyStorage, rhs: KeyStorage) -> Bool {
    lhs === rhs || (lhs.hash == rhs.hash && lhs.parts == rhs.parts)
  }

  @inline(__always)
  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
