internal import StreamQuery

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

extension ResultFields {
  /// Creates the set of the facts about a result's pages that are true; it is empty if the value has no pages.
  init<Value>(pageFactsOf result: QueryResult<Value>) {
    func facts<Known: PageSequenceValue>(as type: Known.Type) -> Self? {
      (result as? QueryResult<Known>).map(Self.init(truePageFactsOf:))
    }
    self = (Value.self as? any PageSequenceValue.Type).flatMap { facts(as: $0) } ?? Self()
  }

  private init<Value: PageSequenceValue>(truePageFactsOf result: QueryResult<Value>) {
    self.init()
    if result.hasNextPage { insert(.hasNextPage) }
    if result.hasPreviousPage { insert(.hasPreviousPage) }
    if result.isFetchingNextPage { insert(.isFetchingNextPage) }
    if result.isFetchingPreviousPage { insert(.isFetchingPreviousPage) }
    if result.isFetchNextPageError { insert(.isFetchNextPageError) }
    if result.isFetchPreviousPageError { insert(.isFetchPreviousPageError) }
  }
}
