/// The fetches in flight, with the span of each and the callers that joined it.
///
/// This table only decides about spans: its user opens, links and ends them.
struct TracedFetches<Fetch: Hashable, Span, Link> {
  /// A fetch in flight.
  struct Row {
    /// Whether an event has reported the start of the fetch.
    var isAnnounced = false
    /// The span of the fetch; `nil` before its first attempt begins.
    var span: Span?
    /// The contexts of callers that joined before the span was opened.
    var links: [Link] = []
    var joined = 0
    var attempts = 0
  }

  /// The state of a fetch's span when an attempt begins.
  enum Opening {
    /// The attempt must open the span, and report it with ``TracedFetches/opened(_:_:)``.
    case opens
    /// The span is open.
    case open(Span)
    /// The fetch is over, and so is its span.
    case over
  }

  /// The maximum number of remembered fetches whose start no event has reported yet, and the minimum number
  /// of remembered fetches that have ended.
  static var memory: Int { 512 }

  private var rows: [Fetch: Row] = [:]
  /// The fetches that a caller joined before an event reported their start, oldest first.
  private var early: [Fetch] = []
  /// The fetches that ended last, in a newer and an older set; callers that join them now are
  /// ignored.
  private var over: (new: Set<Fetch>, old: Set<Fetch>) = ([], [])
  private let limit: Int

  /// Creates an empty table.
  ///
  /// - Parameter limit: The maximum number of links of a span.
  init(limit: Int) {
    self.limit = limit
  }

  /// Registers a fetch, because an event has reported its start: from now on, its attempts and callers
  /// count.
  mutating func started(_ fetch: Fetch) {
    rows[fetch, default: Row()].isAnnounced = true
  }

  mutating func attemptBegan(_ fetch: Fetch) -> Opening {
    guard var row = rows[fetch], row.isAnnounced else { return .over }
    row.attempts += 1
    rows[fetch] = row
    return row.span.map(Opening.open) ?? .opens
  }

  /// Stores the span that was opened for a fetch.
  ///
  /// - Returns: The callers to link to; `nil` if the fetch has ended meanwhile.
  mutating func opened(_ fetch: Fetch, _ span: Span) -> [Link]? {
    rows[fetch]?.span = span
    let links = rows[fetch]?.links
    rows[fetch]?.links = []
    return links
  }

  /// Counts a caller that joined a fetch, perhaps before the event of the start of the fetch, or
  /// after the event of its end.
  ///
  /// - Returns: The span to link to the caller now; `nil` if the caller is linked later, or never.
  mutating func joined(_ fetch: Fetch, from link: Link) -> Span? {
    if rows[fetch] == nil {
      guard !over.new.contains(fetch), !over.old.contains(fetch) else { return nil }
      expect(fetch)
    }
    var row = rows[fetch] ?? Row()
    row.joined += 1
    defer { rows[fetch] = row }
    guard row.joined <= limit else { return nil }
    if row.span == nil { row.links.append(link) }
    return row.span
  }

  /// Remembers a fetch that no event has reported; if there are too many, forgets the oldest ones.
  private mutating func expect(_ fetch: Fetch) {
    early.append(fetch)
    guard early.count > Self.memory else { return }
    let forgotten = early.prefix(Self.memory / 2)
    for fetch in forgotten where rows[fetch]?.isAnnounced == false { rows[fetch] = nil }
    early.removeFirst(forgotten.count)
  }

  /// The number of known fetches.
  var count: Int { rows.count }

  func span(of fetch: Fetch) -> Span? {
    rows[fetch]?.span
  }

  /// Removes a fetch that has ended.
  ///
  /// - Returns: The facts about the fetch; `nil` if the table does not know it.
  mutating func ended(_ fetch: Fetch) -> Row? {
    over.new.insert(fetch)
    if over.new.count >= Self.memory { over = ([], over.new) }
    return rows.removeValue(forKey: fetch)
  }
}
