/// Decides which pages receive events, and whether simulated conditions still hold.
///
/// A browser has at most six connections to a server. The event stream of each page takes one, so a seventh
/// page would wait for ever. So at most five pages have a stream. A sixth page takes the place of the oldest
/// page, which may be closed already, unnoticed by the server.
///
/// | input | effect |
/// |---|---|
/// | `came` | the page gets a place, the sixth one that of the oldest; the absence of pages is over |
/// | `left` | the place of the page is free |
/// | `absenceBegan` | if no page is open, an absence of pages begins |
/// | `lasts` | whether no page has come since the absence began |
struct PagePresence: Sendable {
  /// The maximum number of pages that receive events.
  static let limit = 5
  /// How long simulated conditions remain while no page is open.
  static let patience = Duration.seconds(10)

  /// The numbers of the pages that receive events, oldest first.
  private var places: [UInt64] = []
  private var lastNumber: UInt64 = 0
  /// Identifies the present time without pages; `nil` if a page is open, or without ``absenceBegan()``.
  private var absence: UInt64?

  /// Whether at least one page receives events.
  var hasPages: Bool { !places.isEmpty }

  /// Gives a place to a page that came.
  ///
  /// - Returns: The number of the page.
  mutating func came() -> UInt64 {
    lastNumber += 1
    places.append(lastNumber)
    if places.count > Self.limit { places.removeFirst() }
    absence = nil
    return lastNumber
  }

  /// Whether a page still has its place, and so receives events.
  func hasPlace(_ page: UInt64) -> Bool { places.contains(page) }

  /// Frees the place of a page that is gone.
  mutating func left(_ page: UInt64) {
    places.removeAll { $0 == page }
  }

  /// Begins an absence if no page is open, and so nobody can end the simulated conditions.
  ///
  /// - Returns: The number of the absence; `nil` if there are pages.
  mutating func absenceBegan() -> UInt64? {
    guard places.isEmpty else { return nil }
    lastNumber += 1
    absence = lastNumber
    return lastNumber
  }

  /// Whether an absence still lasts: no page has come since it began, and no other absence has begun.
  func lasts(_ number: UInt64) -> Bool { absence == number }
}
