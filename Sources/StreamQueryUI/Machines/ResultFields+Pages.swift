internal import StreamQuery

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
