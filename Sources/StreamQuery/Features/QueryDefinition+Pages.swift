import Synchronization

extension QueryDefinition {
  /// The definition of an infinite query.
  static func pages<Page: Sendable, PageParam: Hashable & Sendable>(
    initialParam: PageParam,
    rules: PageRules<Page, PageParam>,
    fetchPage: @escaping @Sendable (PageParam, FetchContext) async throws -> Page
  ) -> QueryDefinition {
    typealias Run = Pages<Page, PageParam>
    let paging = PagingDefinition(
      hasNextPage: { rules.next($0.value(as: Run.self)) != nil },
      hasPreviousPage: { rules.previous?($0.value(as: Run.self)) != nil }
    )
    let refetchingFirstPageOnly: @Sendable () -> QueryDefinition = {
      var rules = rules
      rules.refetchesFirstPageOnly = true
      return pages(initialParam: initialParam, rules: rules, fetchPage: fetchPage)
    }
    return QueryDefinition(
      of: Run.self,
      options: .ofLongAttempts,
      fetch: { context in
        let job = context.fetchJob
        let present = context.presentBox?.value(as: Run.self)
        // A single page that an earlier attempt has fetched does not count: that attempt has failed. The cast
        // below looks up its target type, so the cast is made only if there is progress.
        let progress = job?.progress.withLock { $0?.isKeptForRetry == true ? $0 : nil }
        let kept = progress.flatMap { $0 as? PageProgress<Page, PageParam> }
        // The greatest age that the fetch has reported for one of its pages.
        var oldest = kept?.age
        if let oldest { job?.answer.said(oldest, by: context.attempt) }
        var loop =
          kept?.loop
          ?? PageLoop(
            present: present,
            direction: job?.part.direction,
            pageCount: job?.setting?.pageCount,
            isPageCountOwn: job?.isSettingOwn ?? false,
            rules: rules,
            initialParam: initialParam
          )
        // The number of pages that were not modified. If no page was, the fetch ends with `NotModified`.
        var keptCount = 0
        while case .fetch(let param) = loop.step() {
          // A fetch with the abandonment policy `finish` fetches its further pages even after its task was
          // cancelled, unless its entry was removed.
          if job?.isFinishing != true { try Task.checkCancellation() }
          // An added page has no cached version. The cached version of a refreshed page is looked up only if
          // the fetch asks for it.
          var cached: (@Sendable () -> TypedBox<Page>?)?
          if loop.direction == nil, let present {
            cached = { [place = loop.arrivedCount] in
              present.page(of: param, near: place).map { TypedBox($0) }
            }
          }
          var told = context
          told.page = PageAsked(
            direction: loop.direction,
            type: Page.self,
            cached: cached
          )
          let page: Page
          do {
            page = try await fetchPage(param, told)
          } catch is NotModified {
            guard let cached = cached?() else {
              throw QueryError.notModifiedWithoutData(key: context.key.description)
            }
            keptCount += 1
            page = cached.value(as: Page.self)
          }
          loop.arrived(page, param: param)
          // A fetch of several pages can be resumed in the middle, so a retry needs the pages so far.
          if loop.isRun {
            if let age = job?.saidAnswer?.age {
              let joined = age.joined(with: oldest)
              oldest = joined
              job?.answer.said(joined, by: context.attempt)
            }
            // An attempt that is over fetches no further page.
            let reached = PageProgress(loop, age: oldest)
            guard job?.keep(reached, by: context.ordinal) != false else {
              throw CancellationError()
            }
          } else if keptCount > 0, loop.direction == nil {
            throw NotModified()
          } else if let box = context.presentBox {
            job?.keep(PageProgress(loop), by: context.ordinal)
            return box
          }
        }
        // The progress is complete, so it is forgotten: if code around the fetch fails the attempt after all,
        // the next attempt begins with the first page.
        if loop.isRun { job?.keep(nil, by: context.ordinal) }
        // When the call began, there was a page to add, but the cached pages have changed since. No page
        // was fetched, so the fetch ends as if it had not begun.
        guard let run = loop.landed(on: nil as Run?) else { throw NothingFetched() }
        if keptCount == run.count, keptCount == present?.count { throw NotModified() }
        return TypedBox(run)
      },
      extras: DefinitionExtras.Values(feature: paging, variant: refetchingFirstPageOnly)
    )
  }
}

extension FetchContext {
  /// The entry's present data.
  fileprivate var presentBox: ValueBox? {
    job.flatMap { job in client.cache.read { $0.box(job.entry) } }
  }
}

/// The rules for the pages of an infinite query, for results, page commands and modifiers.
///
/// The closures are user code, so they are called outside the lock. Results retain this object, so it does
/// not contain the query's fetch: results would keep the fetch alive.
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
  /// The rules of the pages, if the value is pages.
  var paging: PagingDefinition? { feature as? PagingDefinition }
}

extension EntrySnapshot {
  /// The rules of the entry's pages, if its value is pages.
  var paging: PagingDefinition? { feature as? PagingDefinition }
}

/// The pages that a fetch has so far; a retry continues with the page that failed.
final class PageProgress<Page: Sendable, PageParam: Hashable & Sendable>: FetchProgress {
  let loop: PageLoop<Page, PageParam>
  /// The greatest age that was reported for a page; `nil` if the pages are as new as their fetches.
  let age: AnswerAge?

  init(_ loop: PageLoop<Page, PageParam>, age: AnswerAge? = nil) {
    self.loop = loop
    self.age = age
  }

  /// Whether a retry continues here: a fetch of several pages does, and a fetch of a single page starts
  /// again.
  var isKeptForRetry: Bool { loop.isRun }

  /// Whether the answer is merged with the cached pages: a single page is, and several pages replace them.
  var joins: Bool { !loop.isRun }

  func landed(on present: ValueBox?) -> ValueBox? {
    loop.landed(on: present?.value(as: Pages<Page, PageParam>.self)).map(TypedBox.init)
  }
}
