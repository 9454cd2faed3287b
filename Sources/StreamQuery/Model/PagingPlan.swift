/// The rules of an infinite query without their types: what results and page commands ask.
///
/// The closures are the user's, so they are asked outside the lock.
final class PagingPlan: Sendable {
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
