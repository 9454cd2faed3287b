/// A sequence to which adding an element at either end costs little, however long it is.
///
/// A cached run of pages is shared with the results that show it, so a plain array would be copied whole for
/// each page. Here, adding an element copies one end, which has at most one chunk. The part between the ends
/// is shared, and an index leads to its chunk without a search.
struct ChunkedDeque<Element: Sendable>: Sendable {
  static var chunkSize: Int { 32 }

  private(set) var head: [Element] = []
  /// The chunks between the ends, each with exactly ``chunkSize`` elements.
  private(set) var middle: [[Element]] = []
  private(set) var tail: [Element] = []

  init(_ elements: some RandomAccessCollection<Element>) {
    var rest = elements[...]
    while rest.count > Self.chunkSize {
      middle.append(Array(rest.prefix(Self.chunkSize)))
      rest = rest.dropFirst(Self.chunkSize)
    }
    tail = Array(rest)
  }

  var count: Int { head.count + middle.count * Self.chunkSize + tail.count }

  var elements: [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    all.append(contentsOf: head)
    for chunk in middle { all.append(contentsOf: chunk) }
    all.append(contentsOf: tail)
    return all
  }

  private enum Slot {
    case head(Int)
    case middle(Int, Int)
    case tail(Int)
  }

  private func slot(of index: Int) -> Slot {
    if index < head.count { return .head(index) }
    let rest = index - head.count
    let (chunk, offset) = rest.quotientAndRemainder(dividingBy: Self.chunkSize)
    return chunk < middle.count
      ? .middle(chunk, offset) : .tail(rest - middle.count * Self.chunkSize)
  }

  subscript(index: Int) -> Element {
    get {
      switch slot(of: index) {
      case .head(let offset): head[offset]
      case .middle(let chunk, let offset): middle[chunk][offset]
      case .tail(let offset): tail[offset]
      }
    }
    set {
      switch slot(of: index) {
      case .head(let offset): head[offset] = newValue
      case .middle(let chunk, let offset): middle[chunk][offset] = newValue
      case .tail(let offset): tail[offset] = newValue
      }
    }
  }

  mutating func append(_ element: Element) {
    if tail.count == Self.chunkSize {
      middle.append(tail)
      tail = []
    }
    tail.append(element)
  }

  mutating func prepend(_ element: Element) {
    if head.count == Self.chunkSize {
      middle.insert(head, at: 0)
      head = []
    }
    head.insert(element, at: 0)
  }

  mutating func removeFirst(_ surplus: Int) {
    var surplus = min(surplus, count)
    guard surplus > head.count else { return head.removeFirst(surplus) }
    surplus -= head.count
    head = []
    let whole = min(surplus / Self.chunkSize, middle.count)
    middle.removeFirst(whole)
    surplus -= whole * Self.chunkSize
    if surplus > 0, !middle.isEmpty { head = middle.removeFirst() }
    if middle.isEmpty, head.isEmpty { tail.removeFirst(surplus) } else { head.removeFirst(surplus) }
  }

  mutating func removeLast(_ surplus: Int) {
    var surplus = min(surplus, count)
    guard surplus > tail.count else { return tail.removeLast(surplus) }
    surplus -= tail.count
    tail = []
    let whole = min(surplus / Self.chunkSize, middle.count)
    middle.removeLast(whole)
    surplus -= whole * Self.chunkSize
    if surplus > 0, !middle.isEmpty { tail = middle.removeLast() }
    if middle.isEmpty, tail.isEmpty { head.removeLast(surplus) } else { tail.removeLast(surplus) }
  }
}
