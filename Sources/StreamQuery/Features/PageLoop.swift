/// Decides which page one fetch of an infinite query requests next.
///
/// | work | pages that are fetched |
/// |---|---|
/// | first load | from the initial parameter, as many as asked for |
/// | refresh | from the first stored parameter, as many as there were, ending early where parameters end |
/// | first page only | the first one; the others stay |
/// | next, previous | one; none where parameters end |
///
/// The loop is pure, except for the closures that give parameters, which are called outside any lock. The
/// fetch keeps the loop between its attempts, so a retry continues with the page that failed.
struct PageLoop<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  typealias Run = Pages<Page, PageParam>

  /// The next step.
  enum Step {
    case fetch(PageParam)
    case done
    /// There is no page in that direction, so the cached pages are still good.
    case nothing
  }

  /// The kind of a fetch.
  ///
  /// It consists only of runs and boxes. They have one layout for all types of pages: see ``PageBox``.
  private enum Work {
    /// Pages that replace all cached ones; `start` has the parameter of the first of them, in a box.
    case refresh(Run?, start: ValueBox, remaining: Int)
    /// A page that replaces the first one.
    case firstPage(of: Run, arrived: Run?)
    /// A page in addition to the cached ones.
    case add(PageDirection, to: Run, arrived: Run?)
  }

  private var work: Work
  private let rules: PageRules<Page, PageParam>

  init(
    present: Run?,
    direction: PageDirection?,
    pageCount: Int?,
    isPageCountOwn: Bool = true,
    rules: PageRules<Page, PageParam>,
    initialParam: PageParam
  ) {
    self.rules = rules
    if let direction, let present {
      work = .add(direction, to: present, arrived: nil)
    } else if let present, rules.refetchesFirstPageOnly, pageCount == nil || !isPageCountOwn {
      work = .firstPage(of: present, arrived: nil)
    } else {
      work = .refresh(
        nil,
        start: TypedBox(present?.firstParam ?? initialParam),
        remaining: max(1, pageCount ?? present?.count ?? 1)
      )
    }
  }

  /// The next step.
  func step() -> Step {
    switch work {
    case .refresh(nil, let start, remaining: _):
      return .fetch(start.value(as: PageParam.self))
    case .refresh(let run?, start: _, let remaining):
      guard remaining > 0, let param = rules.next(run) else { return .done }
      return .fetch(param)
    case .firstPage(let run, nil):
      return .fetch(run.firstParam)
    case .add(let direction, to: let run, nil):
      guard let param = direction == .next ? rules.next(run) : rules.previous?(run) else {
        return .nothing
      }
      return .fetch(param)
    case .firstPage(_, _?), .add(_, to: _, _?):
      return .done
    }
  }

  /// Adds a page that arrived.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - param: The parameter with which the page was fetched.
  mutating func arrived(_ page: Page, param: PageParam) {
    let arrived = Run(page, param: param)
    switch work {
    case .refresh(nil, let start, let remaining):
      work = .refresh(arrived, start: start, remaining: remaining - 1)
    case .refresh(var run?, let start, let remaining):
      run.append(arrived, limit: rules.maxPages)
      work = .refresh(run, start: start, remaining: remaining - 1)
    case .firstPage(let run, arrived: _):
      work = .firstPage(of: run, arrived: arrived)
    case .add(let direction, to: let run, arrived: _):
      work = .add(direction, to: run, arrived: arrived)
    }
  }

  /// The direction in which a page is added to the cached pages; `nil` if the fetch refetches the cached
  /// pages, or if there are none.
  var direction: PageDirection? {
    if case .add(let direction, to: _, arrived: _) = work { direction } else { nil }
  }

  /// The number of pages that a refetch of all pages has so far; 0 for a fetch of a single page.
  var arrivedCount: Int {
    if case .refresh(let run?, start: _, remaining: _) = work { run.count } else { 0 }
  }

  /// Whether the fetched pages replace all cached ones.
  var isRun: Bool {
    if case .refresh = work { true } else { false }
  }

  /// The pages to cache, from the fetched ones and those that are cached by now.
  ///
  /// A single page belongs next to the page that it was requested from. If that page is still at
  /// the end of the cached pages, the new one is added to them, so that an update that was written
  /// meanwhile is kept. Otherwise the page is cached with the pages that it was requested from, because the
  /// answer of any fetch replaces data that was written meanwhile.
  ///
  /// - Parameter present: The cached pages; `nil` if there are none.
  /// - Returns: The pages to cache; `nil` if no page arrived.
  func landed(on present: Run?) -> Run? {
    switch work {
    case .refresh(let run, start: _, remaining: _):
      return run
    case .firstPage(let old, let arrived):
      guard let arrived else { return nil }
      var run = newest(of: old, present) { $0.firstParam == $1.firstParam }
      run.replaceFirst(by: arrived)
      return run
    case .add(.next, to: let old, let arrived):
      guard let arrived else { return nil }
      var run = newest(of: old, present) { $0.lastParam == $1.lastParam }
      run.append(arrived, limit: rules.maxPages)
      return run
    case .add(.previous, to: let old, let arrived):
      guard let arrived else { return nil }
      var run = newest(of: old, present) { $0.firstParam == $1.firstParam }
      run.prepend(arrived, limit: rules.maxPages)
      return run
    }
  }

  /// The cached pages, if the new page's neighbour is still at their end; otherwise the pages from which the
  /// new page was requested.
  private func newest(of old: Run, _ present: Run?, _ isInPlace: (Run, Run) -> Bool) -> Run {
    if let present, isInPlace(present, old) { present } else { old }
  }
}

/// The rules that give the parameter of the next and of the previous page.
struct PageRules<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  typealias Rule = @Sendable (Pages<Page, PageParam>) -> PageParam?

  var maxPages: Int?
  var refetchesFirstPageOnly = false
  var next: Rule
  var previous: Rule?

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - maxPages: The maximum number of pages to keep.
  ///   - next: The parameter of the page after the last one. `nil` ends the pages, and so does a
  ///     parameter that is itself `nil`, which would fetch the first page for ever.
  ///   - previous: The parameter of the page before the first one; `nil` ends the pages there, too.
  init(maxPages: Int?, next: @escaping Rule, previous: Rule?) {
    self.maxPages = maxPages
    self.next = Self.ending(next)
    self.previous = previous.map(Self.ending)
  }

  private static func ending(_ rule: @escaping Rule) -> Rule {
    guard PageParam.self is any MissingPageParam.Type else { return rule }
    return { run in
      rule(run).flatMap { ($0 as? any MissingPageParam)?.isMissing == true ? nil : $0 }
    }
  }
}

/// A page parameter of an optional type: if its value is `nil`, there is no page.
private protocol MissingPageParam {
  var isMissing: Bool { get }
}

extension Optional: MissingPageParam {
  fileprivate var isMissing: Bool { self == nil }
}

extension FetchPart {
  /// The page after the last one.
  package static var nextPage: FetchPart { FetchPart(rawValue: 1) }
  /// The page before the first one.
  package static var previousPage: FetchPart { FetchPart(rawValue: 2) }

  /// The part for a fetch that adds a page in a direction.
  init(_ direction: PageDirection) {
    switch direction {
    case .next: self = .nextPage
    case .previous: self = .previousPage
    }
  }

  /// The direction of the page; `nil` for the whole value.
  var direction: PageDirection? {
    self == .nextPage ? .next : self == .previousPage ? .previous : nil
  }
}

extension FetchSetting {
  /// The number of pages that a fetch of the whole value requests.
  static func pages(_ count: Int) -> Self { FetchSetting(rawValue: count) }

  /// The number of pages that a fetch of the whole value requests.
  var pageCount: Int { rawValue }
}
