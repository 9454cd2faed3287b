/// A set of fields in one number.
struct ResultFields: Equatable, Sequence {
  private var bits: UInt32 = 0

  init(_ fields: ResultField...) {
    for field in fields { insert(field) }
  }

  var isEmpty: Bool { bits == 0 }

  /// Adds a field.
  ///
  /// - Parameter field: The field.
  /// - Returns: Whether the set did not have the field before.
  @discardableResult
  mutating func insert(_ field: ResultField) -> Bool {
    let former = bits
    bits |= 1 << field.rawValue
    return bits != former
  }

  /// Removes the fields that another set does not have.
  mutating func formIntersection(_ other: Self) { bits &= other.bits }

  mutating func remove(_ other: Self) { bits &= ~other.bits }

  func makeIterator() -> Iterator { Iterator(bits: bits) }

  /// Iterates the fields in their order.
  struct Iterator: IteratorProtocol {
    fileprivate var bits: UInt32

    mutating func next() -> ResultField? {
      guard bits != 0 else { return nil }
      defer { bits &= bits - 1 }
      return ResultField(rawValue: UInt8(bits.trailingZeroBitCount))
    }
  }
}
