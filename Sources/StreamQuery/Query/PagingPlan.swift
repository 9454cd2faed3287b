/// The rules of an infinite query without their types: what results and page commands ask.
///
/// The closures are the user's, so they are asked outside the lock.
final class PagingPlan: Sendable {
  let hasNextPage: @Sendable (ValueBox) -> Bool
  let hasPreviousPage: @Sendable (ValueBox) -> Bool
  /// Makes the fetch again under changed rules.
  let refetchingFirstPageOnly: @Sendable () -> QueryPlan

  init<Page: Sendable, PageParam: Hashable & Sendable>(
    _ rules: PageRules<Page, PageParam>,
    refetchingFirstPageOnly: @escaping @Sendable () -> QueryPlan
  ) {
    hasNextPage = { rules.next($0.value(as: Pages<Page, PageParam>.self)) != nil }
    hasPreviousPage = { rules.previous?($0.value(as: Pages<Page, PageParam>.self)) != nil }
    self.refetchingFirstPageOnly = refetchingFirstPageOnly
  }

  func hasPage(_ direction: PageDirection, _ box: ValueBox) -> Bool {
    switch direction {
    case .next: hasNextPage(box)
    case .previous: hasPreviousPage(box)
    }
  }
}
