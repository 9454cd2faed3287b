internal import StreamQuery

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The items of the ledger in the form that an app sees.

extension OutboxLedger {
  /// The number of entries in a block of visible items.
  static let blockSize = 64

  /// Discards the block of visible items that contains an entry, because the entry changes or was added.
  mutating func touch(_ index: Int) {
    let block = index / Self.blockSize
    guard block < blocks.count, let old = blocks[block] else { return }
    garbage.collect(value: old)
    blocks[block] = nil
  }

  /// Returns the visible items in their order, in blocks; only the blocks that were discarded are made again.
  ///
  /// - Complexity: O(*n* / 64) in the number of items, and O(1) for each change since the last call.
  mutating func shown() -> [OutboxItems.Block] {
    let count = (entries.count + Self.blockSize - 1) / Self.blockSize
    while blocks.count < count { blocks.append(nil) }
    return blocks.indices.map { index in
      if let block = blocks[index] { return block }
      let start = index * Self.blockSize
      let end = min(entries.count, start + Self.blockSize)
      let block = OutboxItems.Block(entries[start..<end].compactMap { $0.map(OutboxItem.init) })
      blocks[index] = block
      return block
    }
  }
}

extension OutboxItem {
  init(_ entry: OutboxLedger.Entry) {
    let error: ErrorBox?
    let state: State
    switch entry.status {
    case .unregistered: (state, error) = (.unregistered, nil)
    case .undecodable(let reason): (state, error) = (.stopped(reason.error), reason)
    case .run(.saving): (state, error) = (.saving, entry.failureReason)
    case .run(.waiting): (state, error) = (.waiting, entry.failureReason)
    case .run(.sending): (state, error) = (.sending, entry.failureReason)
    case .run(.stopped):
      error = entry.failureReason
      state = error.map { .stopped($0.error) } ?? .waiting
    }
    self.init(entry.record, state, attempts: entry.failureCount, error: error?.error)
  }

  init(_ record: OutboxRecord, _ state: State, attempts: Int = 0, error: (any Error)? = nil) {
    let header = record.header
    self.init(
      id: header.id,
      mutation: header.mutation,
      scope: header.scope,
      state: state,
      attempts: attempts,
      error: error,
      enqueuedAt: Date(timeIntervalSinceReferenceDate: header.date),
      idempotencyKey: record.id.revised(header.revision).uuid,
      input: record.input
    )
  }
}
