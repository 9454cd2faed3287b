import Synchronization

/// The pages of one run as plain arrays: made when somebody asks, then kept for the next one.
///
/// It belongs to one state of a run and is shared by its copies; whoever changes a run takes a new
/// one. Arrays are made outside the lock: copying and releasing pages may run the user's code.
final class FlatPages<Page: Sendable, PageParam: Sendable>: Sendable {
  private let pages = Mutex<[Page]?>(nil)
  private let params = Mutex<[PageParam]?>(nil)

  func pages(_ deck: PageDeck<Page>) -> [Page] {
    Self.elements(of: deck, keptIn: pages)
  }

  func params(_ deck: PageDeck<PageParam>) -> [PageParam] {
    Self.elements(of: deck, keptIn: params)
  }

  private static func elements<Element>(
    of deck: PageDeck<Element>,
    keptIn kept: borrowing Mutex<[Element]?>
  ) -> [Element] {
    if deck.chunks.count <= 1 { return deck.elements }
    if let known = kept.withLock({ $0 }) { return known }
    let made = deck.elements
    return kept.withLock { present in
      // Two readers at once: both are given the same array.
      if let present { return present }
      present = made
      return made
    }
  }
}
