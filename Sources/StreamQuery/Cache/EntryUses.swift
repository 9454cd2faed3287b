import Synchronization

/// How often an entry was used without the cache's lock, in one sense of it.
///
/// Apart from the ``EntryOffer``: what waits to be counted holds no data, and an entry whose offers come
/// and go waits once.
final class EntryUses: Sendable {
  let entry: EntryID
  private let count = Atomic(0)

  init(of entry: EntryID) {
    self.entry = entry
  }

  /// Counts a use.
  ///
  /// - Returns: Whether it is the first one since ``take()``.
  @inline(__always)
  func add() -> Bool { count.add(1, ordering: .relaxed).oldValue == 0 }

  /// The uses since this was last called.
  func take() -> Int { count.exchange(0, ordering: .relaxed) }
}
