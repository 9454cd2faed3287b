/// Decides which page comes next in one fetch of an infinite query.
///
/// | work | pages that are fetched |
/// |---|---|
/// | first load | from the initial parameter, as many as asked for |
/// | refresh | from the first stored parameter, as many as there were, ending early where parameters end |
/// | first page only | the first one; the others stay |
/// | next, previous | one; none where parameters end |
///
/// Pure but for the closures that give parameters, which are asked outside any lock. It is a value
/// that is kept between attempts, so a retry goes on at the page that failed.
struct PageLoop<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  typealias Run = Pages<Page, PageParam>

  /// What to do next.
  enum Step {
    case fetch(PageParam)
    case done(Run)
    /// There is no page in that direction: the cached pages are as good as before.
    case nothing
  }

  private enum Work {
    case refresh(remaining: Int)
    case firstPage
    case add(PageDirection)
  }

  private var work: Work
  /// What was fetched so far, or what a page is added to.
  private var run: Run?
  private let start: PageParam
  private let rules: PageRules<Page, PageParam>
  private var isDone = false

  init(
    present: Run?,
    direction: PageDirection?,
    pageCount: Int?,
    rules: PageRules<Page, PageParam>,
    initialParam: PageParam
  ) {
    self.rules = rules
    if let direction, let present {
      work = .add(direction)
      run = present
      start = initialParam
    } else if let present, pageCount == nil, rules.refetchesFirstPageOnly {
      work = .firstPage
      run = present
      start = present.firstParam
    } else {
      work = .refresh(remaining: max(1, pageCount ?? present?.pages.count ?? 1))
      run = nil
      start = present?.firstParam ?? initialParam
    }
  }

  /// What to do next.
  func step() -> Step {
    if isDone, let run { return .done(run) }
    switch work {
    case .firstPage:
      return .fetch(start)
    case .refresh(let remaining):
      guard let run else { return .fetch(start) }
      guard remaining > 0, let param = rules.next(run) else { return .done(run) }
      return .fetch(param)
    case .add(let direction):
      guard let run, let param = direction == .next ? rules.next(run) : rules.previous?(run)
      else { return .nothing }
      return .fetch(param)
    }
  }

  /// A page arrived.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - param: What it was fetched by.
  mutating func arrived(_ page: Page, param: PageParam) {
    let limit = rules.maxPages
    switch work {
    case .firstPage:
      run?.replaceFirst(page)
      isDone = true
    case .refresh(let remaining):
      if run == nil {
        run = Run(page, param: param)
      } else {
        run?.append(page, param: param, limit: limit)
      }
      work = .refresh(remaining: remaining - 1)
    case .add(.next):
      run?.append(page, param: param, limit: limit)
      isDone = true
    case .add(.previous):
      run?.prepend(page, param: param, limit: limit)
      isDone = true
    }
  }
}

/// How the pages of a query follow each other.
struct PageRules<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  var maxPages: Int?
  var refetchesFirstPageOnly = false
  var next: @Sendable (Pages<Page, PageParam>) -> PageParam?
  var previous: (@Sendable (Pages<Page, PageParam>) -> PageParam?)?
}
