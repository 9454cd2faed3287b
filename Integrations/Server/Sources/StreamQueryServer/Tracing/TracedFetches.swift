/// The fetches in flight, with the span of each and the callers that joined it.
///
/// It only decides about spans; its user opens, links and ends them.
struct TracedFetches<Fetch: Hashable, Span, Link> {
  /// A fetch in flight.
  struct Row {
    /// Whether an event has reported the start of the fetch.
    var isAnnounced = false
    /// The span of the fetch; `nil` before its first attempt begins.
    var span: Span?
    /// Callers that joined before there was a span.
    var links: [Link] = []
    var joined = 0
    var attempts = 0
  }

  /// The action that an attempt takes about the span of its fetch.
  enum Opening {
    /// The attempt opens the span, and reports that with ``TracedFetches/opened(_:_:)``.
    case opens
    /// It is open.
    case open(Span)
    /// The fetch is over, and so is its span.
    case over
  }

  /// The maximum number of fetches that are remembered although no event has reported their start
  /// yet, or although they have ended.
  static var memory: Int { 512 }

  private var rows: [Fetch: Row] = [:]
  /// The fetches that callers reported before their events, oldest first.
  private var early: [Fetch] = []
  /// The fetches that ended last, in a newer and an older set; later reports of callers about them
  /// are ignored.
  private var over: (new: Set<Fetch>, old: Set<Fetch>) = ([], [])
  private let limit: Int

  /// Creates an empty table.
  ///
  /// - Parameter limit: The maximum number of links of a span.
  init(limit: Int) {
    self.limit = limit
  }

  /// An event has reported the start of a fetch, whose attempts and callers count from
  /// now on.
  mutating func started(_ fetch: Fetch) {
    rows[fetch, default: Row()].isAnnounced = true
  }

  mutating func attemptBegan(_ fetch: Fetch) -> Opening {
    guard var row = rows[fetch], row.isAnnounced else { return .over }
    row.attempts += 1
    rows[fetch] = row
    return row.span.map(Opening.open) ?? .opens
  }

  /// The span of a fetch was opened.
  ///
  /// - Returns: The callers to link to; `nil` if the fetch has ended meanwhile.
  mutating func opened(_ fetch: Fetch, _ span: Span) -> [Link]? {
    rows[fetch]?.span = span
    let links = rows[fetch]?.links
    rows[fetch]?.links = []
    return links
  }

  /// A caller joined a fetch, perhaps before the event of the start of the fetch, or
  /// after that of its end.
  ///
  /// - Returns: The span to link to the caller now; `nil` if it is linked later, or never.
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

  /// Remembers a fetch that no event has reported; if there are too many, the oldest is forgotten.
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

  /// A fetch ended.
  ///
  /// - Returns: The facts about the fetch; `nil` if it is not known.
  mutating func ended(_ fetch: Fetch) -> Row? {
    over.new.insert(fetch)
    if over.new.count >= Self.memory { over = ([], over.new) }
    return rows.removeValue(forKey: fetch)
  }
}
