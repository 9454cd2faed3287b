/// A list that most often has one element; one element takes no allocation.
struct Few<Element>: RandomAccessCollection, RangeReplaceableCollection {
  /// The first element; `nil` if the list is empty.
  private var head: Element?
  private var rest: [Element] = []

  init() {}

  init(_ only: Element) { head = only }

  var startIndex: Int { 0 }
  var endIndex: Int {
    @inline(__always) get { head == nil ? 0 : 1 + rest.count }
  }

  subscript(position: Int) -> Element {
    @inline(__always) get {
      if position == 0, let head { return head }
      return rest[position - 1]
    }
  }

  mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
    guard range.lowerBound < endIndex else {
      // A replacement at the end of the list appends elements, nearly always a single one.
      for element in elements { if head == nil { head = element } else { rest.append(element) } }
      return
    }
    var all = Array(self)
    all.replaceSubrange(range, with: elements)
    head = all.first
    rest = Array(all.dropFirst())
  }
}

extension Few: Sendable where Element: Sendable {}
