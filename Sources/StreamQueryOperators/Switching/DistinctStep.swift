internal import StreamQuery

/// Omits an element if it equals the one before and elements are `Equatable`.
struct DistinctStep<Element: Sendable>: _ResultStep, Sendable {
  let removesDuplicates: Bool
  private var last: Element?

  init(removesDuplicates: Bool) {
    self.removesDuplicates = removesDuplicates
  }

  mutating func take(_ element: Element) -> Element? {
    // An element that cannot be compared is not stored.
    guard removesDuplicates, Element.self is any Equatable.Type else { return element }
    if let last, Equality.compare(last, element) == true { return nil }
    last = element
    return element
  }
}
