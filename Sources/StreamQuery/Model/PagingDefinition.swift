/// The rules of an infinite query without their types, for results and page commands.
///
/// The closures are user code, so they are called outside the lock.
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
