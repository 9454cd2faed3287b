internal import StreamQuery

/// The facts of a result about its pages, apart from the data.
struct PageFacts: Equatable {
  var hasNextPage = false
  var hasPreviousPage = false
  var isFetchingNextPage = false
  var isFetchingPreviousPage = false
  var isFetchNextPageError = false
  var isFetchPreviousPageError = false

  init<Value: PageSequenceValue>(pages result: QueryResult<Value>) {
    hasNextPage = result.hasNextPage
    hasPreviousPage = result.hasPreviousPage
    isFetchingNextPage = result.isFetchingNextPage
    isFetchingPreviousPage = result.isFetchingPreviousPage
    isFetchNextPageError = result.isFetchNextPageError
    isFetchPreviousPageError = result.isFetchPreviousPageError
  }

  /// Creates the facts of any result; `nil` if its value does not consist of pages.
  init?<Value>(_ result: QueryResult<Value>) {
    func facts<Known: PageSequenceValue>(as type: Known.Type) -> Self? {
      (result as? QueryResult<Known>).map(Self.init(pages:))
    }
    guard let type = Value.self as? any PageSequenceValue.Type, let facts = facts(as: type)
    else { return nil }
    self = facts
  }
}
