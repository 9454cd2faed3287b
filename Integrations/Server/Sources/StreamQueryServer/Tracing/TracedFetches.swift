import StreamQuery

/// Which fetches are in flight, with the span of each and the callers that joined it.
///
/// It decides only; spans are opened, linked and ended outside.
struct TracedFetches<Span, Link> {
  /// A fetch in flight.
  struct Row {
    /// Its span, once an attempt began.
    var span: Span?
    /// Callers that joined before there was a span.
    var links: [Link] = []
    var joined = 0
    var attempts = 0
  }

  /// What an attempt does about its span.
  enum Opening {
    /// Opens it, and says so with ``TracedFetches/opened(_:_:)``.
    case opens
    /// It is open.
    case open(Span)
    /// The fetch is over, and so is its span.
    case over
  }

  private var rows: [FetchIdentity: Row] = [:]
  private let limit: Int

  /// Creates an empty table.
  ///
  /// - Parameter limit: How many links a span has at most.
  init(limit: Int) {
    self.limit = limit
  }

  /// A fetch was announced: from now on its attempts and callers count.
  mutating func started(_ fetch: FetchIdentity) {
    rows[fetch] = Row()
  }

  mutating func attemptBegan(_ fetch: FetchIdentity) -> Opening {
    rows[fetch]?.attempts += 1
    guard let row = rows[fetch] else { return .over }
    return row.span.map(Opening.open) ?? .opens
  }

  /// The span of a fetch was opened.
  ///
  /// - Returns: The callers to link it to; `nil` if the fetch has ended meanwhile.
  mutating func opened(_ fetch: FetchIdentity, _ span: Span) -> [Link]? {
    rows[fetch]?.span = span
    let links = rows[fetch]?.links
    rows[fetch]?.links = []
    return links
  }

  /// A caller joined a fetch.
  ///
  /// - Returns: The span to link to the caller now; `nil` if it is linked later, or not at all.
  mutating func joined(_ fetch: FetchIdentity, from link: Link) -> Span? {
    guard var row = rows[fetch] else { return nil }
    row.joined += 1
    defer { rows[fetch] = row }
    guard row.joined <= limit else { return nil }
    if row.span == nil { row.links.append(link) }
    return row.span
  }

  func span(of fetch: FetchIdentity) -> Span? {
    rows[fetch]?.span
  }

  /// A fetch ended.
  ///
  /// - Returns: What was known about it; `nil` if it was not.
  mutating func ended(_ fetch: FetchIdentity) -> Row? {
    rows.removeValue(forKey: fetch)
  }

  /// Forgets all fetches.
  ///
  /// - Returns: The spans that are open.
  mutating func endAll() -> [Span] {
    defer { rows = [:] }
    return rows.values.compactMap(\.span)
  }
}
