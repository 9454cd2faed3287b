/// Decides which pages are sent what happens, and whether the conditions that pages have set still stand.
///
/// A browser has six connections to a server, and the stream of a page takes one of them: the seventh page would wait
/// for ever. So there are five streams at most, and a page that comes takes the place of the oldest. That may also be
/// one whose browser is gone, which nobody has noticed yet.
///
/// | input | effect |
/// |---|---|
/// | `came` | the page gets a place, the sixth one that of the oldest; an absence is over |
/// | `left` | its place is free |
/// | `absenceBegan` | without pages, an absence begins |
/// | `lasts` | whether no page has come since |
struct PagePresence: Sendable {
  /// The largest number of pages.
  static let limit = 5
  /// How long the conditions that pages have set stand without a page.
  static let patience = Duration.seconds(10)

  /// The pages, the oldest first.
  private var places: [UInt64] = []
  private var lastNumber: UInt64 = 0
  /// The time without pages; `nil` if there are some, or if it was not noted.
  private var absence: UInt64?

  /// Whether a page has a place.
  var hasPages: Bool { !places.isEmpty }

  /// A page came.
  ///
  /// - Returns: Its number.
  mutating func came() -> UInt64 {
    lastNumber += 1
    places.append(lastNumber)
    if places.count > Self.limit { places.removeFirst() }
    absence = nil
    return lastNumber
  }

  /// Whether a page still has its place.
  func hasPlace(_ page: UInt64) -> Bool { places.contains(page) }

  /// A page left.
  mutating func left(_ page: UInt64) {
    places.removeAll { $0 == page }
  }

  /// Nobody may be there to end conditions.
  ///
  /// - Returns: The number of the absence; `nil` if there are pages.
  mutating func absenceBegan() -> UInt64? {
    guard places.isEmpty else { return nil }
    lastNumber += 1
    absence = lastNumber
    return lastNumber
  }

  /// Whether no page has come since an absence began, and no other absence began.
  func lasts(_ number: UInt64) -> Bool { absence == number }
}
