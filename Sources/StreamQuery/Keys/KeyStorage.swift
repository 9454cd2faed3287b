/// The parts of a key and their hash, shared by all copies of it.
///
/// The hash is computed once. Different hashes tell keys apart at once, and keys with equal hashes are
/// compared part by part. The hash is the last element of the array of parts: a server makes keys at each
/// call, and an object for both would be one more allocation.
struct KeyStorage: Sendable {
  private let row: [KeyPart]

  /// - Parameter parts: The parts; an array with room for one more element is not copied.
  init(_ parts: consuming [KeyPart]) {
    var hasher = Hasher()
    KeyPart.hash(parts, into: &hasher)
    // If the array was full, appending would double its size, and the key would keep the unused half
    // for as long as the key lives.
    parts.reserveCapacity(parts.count + 1)
    parts.append(.int(hasher.finalize()))
    row = parts
  }

  /// Makes the storage of one part, without an array that grows.
  init(_ part: KeyPart) {
    var hasher = Hasher()
    hasher.combine(KeyPart.kinds(1, and: part))
    part.hashContent(into: &hasher)
    row = [part, .int(hasher.finalize())]
  }

  /// Makes the storage of two parts.
  init(_ first: KeyPart, _ second: KeyPart) {
    var hasher = Hasher()
    hasher.combine(KeyPart.kinds(KeyPart.kinds(1, and: first), and: second))
    first.hashContent(into: &hasher)
    second.hashContent(into: &hasher)
    row = [first, second, .int(hasher.finalize())]
  }

  /// The number of elements that the array has room for, for tests.
  var capacity: Int { row.capacity }

  /// The parts; they begin at index 0.
  var parts: ArraySlice<KeyPart> { row.dropLast() }

  /// The number of parts.
  @inline(__always)
  var count: Int { row.count - 1 }

  @inline(__always)
  var hash: Int {
    // The last element is always an `.int`.
    if case .int(let hash) = row[count] { hash } else { 0 }
  }

  /// The types of parts, and of elements of lists and records, that have no case of their own in ``KeyPart``.
  var boxedTypes: [ObjectIdentifier] {
    var types: [ObjectIdentifier] = []
    var open = Array(parts)
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

  /// Whether the parts take more bytes than a limit, as far as their sizes are known.
  ///
  /// - Complexity: O(1) for each part; no more parts than necessary are examined.
  func isLarger(than limit: Int) -> Bool {
    var left = max(0, limit)
    var open = [parts]
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
    lhs === rhs || (lhs.hash == rhs.hash && lhs.hasParts(of: rhs))
  }

  /// Whether both keys share one array.
  @inline(__always)
  static func === (lhs: KeyStorage, rhs: KeyStorage) -> Bool {
    lhs.row.withUnsafeBufferPointer { $0.baseAddress }
      == rhs.row.withUnsafeBufferPointer { $0.baseAddress }
  }

  /// Whether both keys have the same number of parts, and equal ones except for the last `omitted` parts.
  func hasParts(of other: KeyStorage, butLast omitted: Int = 0) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<max(0, count - omitted) where row[index] != other.row[index] { return false }
    return true
  }

  @inline(__always)
  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}
