/// How the pages of a query follow each other.
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
  ///   - next: The parameter of the page after the last one. None ends the pages, and so does a
  ///     parameter that is itself `nil`: it would fetch the first page for ever.
  ///   - previous: The same of the page before the first one.
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

/// A page parameter that may say that there is no page: an optional one.
private protocol MissingPageParam {
  var isMissing: Bool { get }
}

extension Optional: MissingPageParam {
  fileprivate var isMissing: Bool { self == nil }
}
