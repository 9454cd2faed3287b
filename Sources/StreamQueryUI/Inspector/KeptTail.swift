/// The newest elements of a sequence; an element keeps its index when older elements are dropped.
struct KeptTail<Element: Sendable>: Sendable {
  private var storage: [Element] = []
  /// The number of dropped elements that are still in the storage.
  private var dropped = 0
  /// The index of the first element that was not dropped.
  private(set) var startIndex = 0

  /// Adds an element.
  mutating func append(_ element: Element) { storage.append(element) }

  /// Drops the oldest element.
  ///
  /// - Returns: The element; `nil` if no element is left.
  /// - Complexity: Constant on average.
  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    dropped += 1
    startIndex += 1
    if dropped == storage.count || (dropped > 32 && dropped > storage.count / 2) {
      storage.removeFirst(dropped)
      dropped = 0
    }
    return first
  }
}

extension KeptTail: RandomAccessCollection {
  var endIndex: Int { startIndex + storage.count - dropped }
  subscript(index: Int) -> Element { storage[index - startIndex + dropped] }
}

extension RandomAccessCollection where Index == Int {
  /// Finds the first element for which a condition holds, by a binary search.
  ///
  /// - Parameter condition: The condition; if it holds for an element, it must hold for all later ones.
  /// - Returns: The index of the element; the end index if the condition never holds.
  /// - Complexity: The logarithm of the number of elements.
  func partitionIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
