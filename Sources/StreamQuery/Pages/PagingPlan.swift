import Synchronization

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

extension QueryPlan {
  /// The plan of an infinite query.
  static func pages<Page: Sendable, PageParam: Hashable & Sendable>(
    initialParam: PageParam,
    rules: PageRules<Page, PageParam>,
    fetchPage: @escaping @Sendable (PageParam, FetchContext) async throws -> Page
  ) -> QueryPlan {
    typealias Run = Pages<Page, PageParam>
    let paging = PagingPlan(rules) {
      var rules = rules
      rules.refetchesFirstPageOnly = true
      return pages(initialParam: initialParam, rules: rules, fetchPage: fetchPage)
    }
    return QueryPlan(
      of: Run.self,
      fetch: { context in
        let present = context.presentBox?.value(as: Run.self)
        var loop =
          context.job?.progress.withLock { $0 } as? PageLoop<Page, PageParam>
          ?? PageLoop(
            present: present,
            direction: context.direction,
            pageCount: context.job?.pageCount,
            rules: rules,
            initialParam: initialParam
          )
        while true {
          switch loop.step() {
          case .done(let run):
            return TypedBox(run)
          case .nothing:
            // The command asked beforehand; the pages changed since.
            guard let box = context.presentBox else { throw CancellationError() }
            return box
          case .fetch(let param):
            try Task.checkCancellation()
            let page = try await fetchPage(param, context)
            loop.arrived(page, param: param)
            let progress = loop
            context.job?.progress.withLock { $0 = progress }
          }
        }
      },
      paging: paging
    )
  }
}

extension FetchContext {
  /// The data that the cache has at present.
  fileprivate var presentBox: ValueBox? {
    guard let entry = job?.entry else { return nil }
    return client.cache.read { state in
      state.find(entry).flatMap { index in
        state.slots[index].machine.hasData ? state.slots[index].data : nil
      }
    }
  }
}
