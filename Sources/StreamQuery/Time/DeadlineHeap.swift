/// The earliest deadline among many owners, each with at most one.
///
/// A binary heap in one array; owners keep their position, told through `moved`, so that a deadline
/// is replaced in place: no cancelled timers pile up.
struct DeadlineHeap: Equatable, Sendable {
  struct Item: Equatable, Sendable {
    var deadline: Moment
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
  ///   - moved: Told the new position of every owner that moved, -1 for removed.
  /// - Complexity: O(log n) in the number of owners with a deadline.
  mutating func set(
    _ deadline: Moment?,
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
      settle(index, moved)
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
    settle(index, moved)
  }

  private mutating func settle(_ index: Int, _ moved: (Int32, Int32) -> Void) {
    if index > 0, items[index].deadline < items[(index - 1) / 2].deadline {
      siftUp(index, moved)
    } else {
      siftDown(index, moved)
    }
  }

  private mutating func siftUp(_ start: Int, _ moved: (Int32, Int32) -> Void) {
    var index = start
    let item = items[index]
    while index > 0 {
      let parent = (index - 1) / 2
      guard item.deadline < items[parent].deadline else { break }
      items[index] = items[parent]
      moved(items[index].owner, Int32(truncatingIfNeeded: index))
      index = parent
    }
    items[index] = item
    moved(item.owner, Int32(truncatingIfNeeded: index))
  }

  private mutating func siftDown(_ start: Int, _ moved: (Int32, Int32) -> Void) {
    var index = start
    let item = items[index]
    while true {
      var child = 2 * index + 1
      guard child < items.count else { break }
      if child + 1 < items.count, items[child + 1].deadline < items[child].deadline { child += 1 }
      guard items[child].deadline < item.deadline else { break }
      items[index] = items[child]
      moved(items[index].owner, Int32(truncatingIfNeeded: index))
      index = child
    }
    items[index] = item
    moved(item.owner, Int32(truncatingIfNeeded: index))
  }
}
