/// The earliest of the deadlines of many owners, each with at most one.
///
/// The deadlines are a heap in one array. Each owner keeps the position of its deadline, which `moved`
/// reports. So a deadline is replaced in place, and cancelled ones do not gather. Each item has four
/// children, which share a cache line: half as many levels, and cache misses, as with two.
struct DeadlineHeap: Equatable, Sendable {
  /// The number of children of an item.
  static let children = 4

  struct Item: Equatable, Sendable {
    var deadline: Instant
    var owner: Int32
  }

  private(set) var items: [Item] = []

  /// The earliest deadline.
  var first: Item? { items.first }

  /// Sets, moves or removes an owner's deadline.
  ///
  /// - Parameters:
  ///   - deadline: The new deadline; `nil` removes it.
  ///   - owner: The owner.
  ///   - position: The owner's position, -1 for none.
  ///   - moved: Called with the new position of every owner that moved, -1 for removed.
  /// - Complexity: O(log n) in the number of owners with a deadline.
  mutating func set(
    _ deadline: Instant?,
    for owner: Int32,
    at position: Int32,
    moved: (_ owner: Int32, _ position: Int32) -> Void
  ) {
    guard let deadline else {
      if position >= 0 { remove(at: Int(position), moved) }
      return
    }
    if position >= 0 {
      let index = Int(position)
      guard items[index].deadline != deadline else { return }
      items[index].deadline = deadline
      sift(index, moved)
    } else {
      items.append(Item(deadline: deadline, owner: owner))
      siftUp(items.count - 1, moved)
    }
  }

  private mutating func remove(at index: Int, _ moved: (Int32, Int32) -> Void) {
    moved(items[index].owner, -1)
    let last = items.removeLast()
    guard index < items.count else { return }
    items[index] = last
    sift(index, moved)
  }

  private mutating func sift(_ index: Int, _ moved: (Int32, Int32) -> Void) {
    if index > 0, items[index].deadline < items[(index - 1) / Self.children].deadline {
      siftUp(index, moved)
    } else {
      siftDown(index, moved)
    }
  }

  // These functions change the items through a buffer: through the array, each item that moves would cost a
  // check whether the array is shared.

  private mutating func siftUp(_ start: Int, _ moved: (Int32, Int32) -> Void) {
    items.withUnsafeMutableBufferPointer { items in
      var index = start
      let item = items[index]
      while index > 0 {
        let parent = (index - 1) / Self.children
        guard item.deadline < items[parent].deadline else { break }
        items[index] = items[parent]
        moved(items[index].owner, Int32(truncatingIfNeeded: index))
        index = parent
      }
      items[index] = item
      moved(item.owner, Int32(truncatingIfNeeded: index))
    }
  }

  private mutating func siftDown(_ start: Int, _ moved: (Int32, Int32) -> Void) {
    items.withUnsafeMutableBufferPointer { items in
      var index = start
      let item = items[index]
      while true {
        var child = Self.children * index + 1
        guard child < items.count else { break }
        let end = min(child + Self.children, items.count)
        for other in (child + 1)..<end where items[other].deadline < items[child].deadline {
          child = other
        }
        guard items[child].deadline < item.deadline else { break }
        items[index] = items[child]
        moved(items[index].owner, Int32(truncatingIfNeeded: index))
        index = child
      }
      items[index] = item
      moved(item.owner, Int32(truncatingIfNeeded: index))
    }
  }
}
