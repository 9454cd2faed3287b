/// Decides which pages receive events, and whether *somebody is there*: a page is open and answers.
///
/// Simulated conditions, such as a lost network, end when nobody is there.
///
/// A browser has at most six connections to a server. The event stream of each page takes one, so a seventh
/// page would wait for ever. So at most five pages have a stream. A sixth page takes the place of the oldest
/// page, which may be closed already, unnoticed by the server. A page whose browser hangs keeps its stream,
/// so pages also have to answer.
///
/// Each inspector of a client has a server, and so five places of its own. Whether somebody is there does not
/// depend on the inspector.
///
/// | input | effect |
/// |---|---|
/// | `inspectorCame` | the inspector gets a number |
/// | `came` | a place for the page, if need be that of its inspector's oldest page; somebody is there |
/// | `left` | the place of the page is free |
/// | `answered` | somebody is there |
/// | `watchBegan` | seconds count from now on, unless they do already |
/// | `secondPassed` | nobody is there after ten seconds without a page, or a minute without an answer |
struct PagePresence: Sendable {
  /// The reason why nobody is there.
  enum Absence: Equatable, Sendable {
    /// No page is open.
    case noPage
    /// Pages are open, but none of them answers.
    case noAnswer
  }

  /// A page that receives events, and its inspector.
  private struct Place: Sendable {
    var page: UInt64
    var inspector: UInt64
  }

  /// The maximum number of pages of an inspector that receive events.
  static let limit = 5
  /// After this many seconds without an open page, nobody is there; the reload of a page takes less time.
  static let secondsWithoutPage = 10
  /// After this many seconds without an answer of a page, nobody is there.
  static let secondsWithoutAnswer = 60

  /// The pages that receive events, oldest first.
  private var places: [Place] = []
  /// The number of the newest page or inspector.
  private var lastNumber: UInt64 = 0
  private var isWatched = false
  /// The seconds since a page was open or answered.
  private var absent = 0
  /// The seconds since a page came or answered.
  private var silent = 0

  /// Whether at least one page receives events.
  var hasPages: Bool { !places.isEmpty }

  /// Whether at least one page of an inspector receives events.
  func hasPages(of inspector: UInt64) -> Bool { places.contains { $0.inspector == inspector } }

  /// Whether at least one page of another inspector receives events.
  func hasPages(besidesThoseOf inspector: UInt64) -> Bool {
    places.contains { $0.inspector != inspector }
  }

  /// Gives a number to an inspector.
  mutating func inspectorCame() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Gives a place to a page that came to an inspector.
  ///
  /// - Returns: The number of the page.
  mutating func came(to inspector: UInt64) -> UInt64 {
    lastNumber += 1
    places.append(Place(page: lastNumber, inspector: inspector))
    let own = places.filter { $0.inspector == inspector }
    if own.count > Self.limit { left(own[0].page) }
    (absent, silent) = (0, 0)
    return lastNumber
  }

  /// Whether a page still has its place, and so receives events.
  func hasPlace(_ page: UInt64) -> Bool { places.contains { $0.page == page } }

  /// Frees the place of a page that is gone.
  mutating func left(_ page: UInt64) {
    places.removeAll { $0.page == page }
  }

  /// Notes that a page has asked for an action, or answered.
  mutating func answered() { (absent, silent) = (0, 0) }

  // MARK: Absence

  /// Notes that there are simulated conditions, which last only while somebody is there.
  ///
  /// - Returns: Whether the caller has to call ``secondPassed()`` from now on; `false` if another caller
  ///   does.
  mutating func watchBegan() -> Bool {
    guard !isWatched else { return false }
    (isWatched, absent, silent) = (true, 0, 0)
    return true
  }

  /// Notes that there are no simulated conditions any more.
  mutating func watchEnded() { isWatched = false }

  /// Notes that one more second has passed.
  ///
  /// - Returns: The reason why nobody is there; `nil` if somebody may be.
  mutating func secondPassed() -> Absence? {
    silent += 1
    absent = hasPages ? 0 : absent + 1
    let isPageMissing = absent >= Self.secondsWithoutPage
    guard isPageMissing || silent >= Self.secondsWithoutAnswer else { return nil }
    (absent, silent) = (0, 0)
    return isPageMissing ? .noPage : .noAnswer
  }
}
