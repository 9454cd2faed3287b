/// How the pages of a query follow each other.
struct PageRules<Page: Sendable, PageParam: Hashable & Sendable>: Sendable {
  var maxPages: Int?
  var refetchesFirstPageOnly = false
  var next: @Sendable (Pages<Page, PageParam>) -> PageParam?
  var previous: (@Sendable (Pages<Page, PageParam>) -> PageParam?)?
}
