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
    case done
    /// There is no page in that direction: the cached pages are as good as before.
    case nothing
  }

  /// Of runs and boxes only, which are laid out alike for all types: see ``PageSheet``.
  private enum Work {
    /// Pages in place of all that are cached; starts with a boxed parameter.
    case refresh(Run?, start: ValueBox, remaining: Int)
    /// One page in place of the first one.
    case firstPage(of: Run, arrived: Run?)
    /// One page beside those that are cached.
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

  /// What to do next.
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

  /// A page arrived.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - param: What it was fetched by.
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

  /// Which page is added to those that are cached; `nil` if they are fetched anew, or there are none.
  var direction: PageDirection? {
    if case .add(let direction, to: _, arrived: _) = work { direction } else { nil }
  }

  /// How many pages of a run have arrived.
  var arrivedCount: Int {
    if case .refresh(let run?, start: _, remaining: _) = work { run.count } else { 0 }
  }

  /// Whether it fetches pages in place of all that are cached, rather than a single one.
  var isRun: Bool {
    if case .refresh = work { true } else { false }
  }

  /// The pages as they land, given those that are cached by then.
  ///
  /// A single page belongs beside the page that it was asked from. Where that page still stands at
  /// the end of the cached pages, the new one joins them, so that an update which was written while
  /// the page was on its way is kept; where it does not, the page lands with those that it was asked
  /// from, as the answer of any fetch replaces what was written meanwhile.
  ///
  /// - Parameter present: What is cached; `nil` if nothing is.
  /// - Returns: What to cache; `nil` if no page arrived.
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

  /// What is cached, if it still stands where the old run stood.
  private func newest(of old: Run, _ present: Run?, _ isInPlace: (Run, Run) -> Bool) -> Run {
    if let present, isInPlace(present, old) { present } else { old }
  }
}
