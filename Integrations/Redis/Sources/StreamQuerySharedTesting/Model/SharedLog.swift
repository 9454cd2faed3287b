internal import StreamQueryShared

/// The log of a ``SharedStoreModel``, which is bounded and knows how far back it reaches.
struct SharedLog: Sendable {
  /// The number of messages that the log keeps.
  private let limit: Int
  /// The messages; the ones before `head` are already dropped.
  private var messages: [SharedMessage] = []
  private var head = 0
  /// The version of the last message, even if that was dropped.
  private(set) var last = SharedVersion(milliseconds: 0, sequence: 0)
  /// The version of the last message that was dropped.
  private var dropped = SharedVersion(milliseconds: 0, sequence: 0)

  init(limit: Int) { self.limit = max(0, limit) }

  var count: Int { messages.count - head }

  /// Adds a message with the next version.
  ///
  /// - Parameters:
  ///   - kind: The content of the message.
  ///   - milliseconds: The time by the store's clock; versions rise even if the clock was set back.
  /// - Returns: The version.
  mutating func append(_ kind: SharedMessage.Kind, milliseconds: UInt64) -> SharedVersion {
    last =
      milliseconds > last.milliseconds
      ? SharedVersion(milliseconds: milliseconds, sequence: 0)
      : SharedVersion(milliseconds: last.milliseconds, sequence: last.sequence + 1)
    messages.append(SharedMessage(last, kind))
    if count > limit {
      dropped = messages[head].version
      head += 1
    }
    // Dropped messages are removed many at a time, because removing the first element of an array
    // moves all others.
    if head > 64, head > limit {
      messages.removeSubrange(..<head)
      head = 0
    }
    return last
  }

  /// Whether the log still has all messages after a version.
  func reaches(back version: SharedVersion) -> Bool { version >= dropped && version <= last }

  /// The messages after a version; if there are more than the limit, the oldest ones.
  func after(_ version: SharedVersion, limit: Int) -> [SharedMessage] {
    var (low, high) = (head, messages.count)
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].version > version { high = middle } else { low = middle + 1 }
    }
    return Array(messages[low..<min(messages.count, low + max(1, limit))])
  }
}
