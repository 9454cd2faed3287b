/// What an infinite query knows of its pages, for results, page commands and modifiers.
///
/// The closures are user code, so they are called outside the lock. Results carry it: what fetches is
/// in the definition alone.
final class PagingDefinition: Sendable {
  let hasNextPage: @Sendable (ValueBox) -> Bool
  let hasPreviousPage: @Sendable (ValueBox) -> Bool

  init(
    hasNextPage: @escaping @Sendable (ValueBox) -> Bool,
    hasPreviousPage: @escaping @Sendable (ValueBox) -> Bool
  ) {
    self.hasNextPage = hasNextPage
    self.hasPreviousPage = hasPreviousPage
  }

  func hasPage(_ direction: PageDirection, _ box: ValueBox) -> Bool {
    switch direction {
    case .next: hasNextPage(box)
    case .previous: hasPreviousPage(box)
    }
  }
}

extension QueryDefinition {
  /// How pages follow each other, if the value is pages.
  var paging: PagingDefinition? { feature as? PagingDefinition }
}

extension EntrySnapshot {
  /// How the entry's pages follow each other, if its value is pages.
  var paging: PagingDefinition? { feature as? PagingDefinition }
}
