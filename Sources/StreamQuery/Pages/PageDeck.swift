/// A run of elements in short chunks: adding one at either end copies a chunk, not the run.
///
/// A cached run is shared with every result that shows it, so a plain array would be copied whole
/// for each page. Only the first and the last chunk may be short, so an index leads to its chunk
/// without a search.
struct PageDeck<Element: Sendable>: Sendable {
  static var chunkSize: Int { 32 }

  /// None is empty.
  private(set) var chunks: [[Element]] = []
  private(set) var count = 0

  init(_ elements: [Element]) {
    count = elements.count
    // An array that fits is kept as it is, and given back as it is.
    guard elements.count > Self.chunkSize else {
      if !elements.isEmpty { chunks = [elements] }
      return
    }
    for start in stride(from: 0, to: elements.count, by: Self.chunkSize) {
      chunks.append(Array(elements[start..<min(start + Self.chunkSize, elements.count)]))
    }
  }

  /// All elements; without a copy if they lie in one chunk.
  var elements: [Element] {
    if chunks.count == 1 { return chunks[0] }
    var all: [Element] = []
    all.reserveCapacity(count)
    for chunk in chunks { all.append(contentsOf: chunk) }
    return all
  }

  subscript(index: Int) -> Element {
    get {
      let (chunk, offset) = position(of: index)
      return chunks[chunk][offset]
    }
    _modify {
      let (chunk, offset) = position(of: index)
      yield &chunks[chunk][offset]
    }
  }

  private func position(of index: Int) -> (chunk: Int, offset: Int) {
    let head = chunks[0].count
    guard index >= head else { return (0, index) }
    let rest = index - head
    return (1 + rest / Self.chunkSize, rest % Self.chunkSize)
  }

  mutating func append(_ element: Element) {
    count += 1
    if let last = chunks.indices.last, chunks[last].count < Self.chunkSize {
      chunks[last].append(element)
    } else {
      chunks.append([element])
    }
  }

  mutating func prepend(_ element: Element) {
    count += 1
    if let first = chunks.first, first.count < Self.chunkSize {
      chunks[0].insert(element, at: 0)
    } else {
      chunks.insert([element], at: 0)
    }
  }

  mutating func removeFirst(_ surplus: Int) {
    var surplus = min(surplus, count)
    count -= surplus
    var whole = 0
    while whole < chunks.count, chunks[whole].count <= surplus {
      surplus -= chunks[whole].count
      whole += 1
    }
    chunks.removeFirst(whole)
    if surplus > 0 { chunks[0].removeFirst(surplus) }
  }

  mutating func removeLast(_ surplus: Int) {
    var surplus = min(surplus, count)
    count -= surplus
    while let last = chunks.last, last.count <= surplus, surplus > 0 {
      surplus -= last.count
      chunks.removeLast()
    }
    if surplus > 0 { chunks[chunks.count - 1].removeLast(surplus) }
  }
}
