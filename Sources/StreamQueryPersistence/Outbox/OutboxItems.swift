/// The items of an outbox at one time, in the order in which they were started.
///
/// The collection shares unchanged items with the previous one, so that a long queue can be observed while it
/// is sent.
public struct OutboxItems: RandomAccessCollection, Sendable {
  /// A group of neighboring items.
  struct Block: Sendable {
    let items: [OutboxItem]
    let stopped: [OutboxItem]

    init(_ items: [OutboxItem]) {
      self.items = items
      stopped = items.filter(\.isStopped)
    }
  }

  private let blocks: [Block]
  /// The index of the first item of each block, followed by the number of all items.
  private let starts: [Int]

  /// Creates an empty collection.
  public init() { self.init([]) }

  init(_ blocks: [Block]) {
    self.blocks = blocks.filter { !$0.items.isEmpty }
    var starts = [0]
    for block in self.blocks { starts.append((starts.last ?? 0) + block.items.count) }
    self.starts = starts
  }

  /// The index of the first item: 0.
  public var startIndex: Int { 0 }

  /// The number of items.
  public var endIndex: Int { starts.last ?? 0 }

  /// The items that failed and wait for the app's decision.
  public var stopped: [OutboxItem] { blocks.flatMap(\.stopped) }

  /// Returns the item at an index.
  ///
  /// - Parameter position: The index.
  /// - Returns: The item.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> OutboxItem {
    var (low, high) = (0, blocks.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= position { low = middle } else { high = middle - 1 }
    }
    return blocks[low].items[position - starts[low]]
  }
}
