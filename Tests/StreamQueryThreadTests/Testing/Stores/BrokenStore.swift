import StreamQuery
import StreamQueryPersistence
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store with one mistake; its data outlives it in a shared memory.
actor BrokenStore: QueryStore {
  enum Mistake: CaseIterable {
    case isNeverEmpty
    case cutsValues
    case keepsTheFirst
    case forgetsRemovals
    case removesLast
    case loadsTwice
    case ignoresCase
    case tearsBatches
    case stopsWhenCancelled
    case wipesEverything
    case keepsItsGeneration
    case takesLateBatches
    case forgetsWhatIsReleased
    case forgetsTheLastBatch
    case forgetsWipes
  }

  private let mistake: Mistake
  private var memory: MemoryStore
  private var before: [StoreRecord] = []

  init(_ mistake: Mistake, _ memory: MemoryStore) {
    (self.mistake, self.memory) = (mistake, memory)
  }

  private func place(_ partition: StorePartition) -> StorePartition {
    mistake == .ignoresCase ? StorePartition(partition.name.lowercased()) : partition
  }

  func load(_ partition: StorePartition) -> StoreContents {
    var contents = memory.load(place(partition))
    switch mistake {
    case .isNeverEmpty where contents.records.isEmpty:
      contents.records = [StoreRecord(key: "a", value: Data())]
    case .tearsBatches:
      // The first half is what was there at the last look.
      let now = contents.records
      if before.map(\.key) == now.map(\.key) {
        contents.records = Array(before.prefix(now.count / 2) + now.dropFirst(now.count / 2))
      }
      before = now
    default: break
    }
    return contents
  }

  func load(_ keys: [String], of partition: StorePartition) async -> StoreContents {
    var contents = await memory.load(keys, of: place(partition))
    if mistake == .loadsTwice { contents.records += contents.records.prefix(1) }
    return contents
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) throws(QueryStoreError) {
    var batch = batch
    switch mistake {
    case .cutsValues:
      for index in batch.puts.indices {
        batch.puts[index].value = batch.puts[index].value.prefix(300)
      }
    case .keepsTheFirst:
      let known = Set(memory.load(place(partition)).records.map(\.key)).subtracting(batch.removals)
      batch.puts.removeAll { known.contains($0.key) }
    case .forgetsRemovals: batch.removals = []
    case .removesLast: batch.puts.removeAll { batch.removals.contains($0.key) }
    case .stopsWhenCancelled where Task.isCancelled:
      batch.puts = Array(batch.puts.prefix(batch.puts.count / 2))
    case .takesLateBatches: batch.generation = memory.load(place(partition)).generation
    default: break
    }
    try memory.write(batch, to: place(partition))
  }

  func wipe(_ partition: StorePartition) throws(QueryStoreError) -> StoreGeneration {
    let generation = memory.load(place(partition)).generation
    switch mistake {
    case .wipesEverything:
      _ = memory.wipe("other")
      return memory.wipe(place(partition))
    case .keepsItsGeneration:
      let keys = memory.load(partition).records.map(\.key)
      try memory.write(StoreBatch(generation: generation, removals: keys), to: partition)
      return generation
    default: return memory.wipe(place(partition))
    }
  }

  func release(_ partition: StorePartition) async {
    if mistake == .forgetsWhatIsReleased { memory = MemoryStore() }
  }

  /// What another store finds later.
  func left() throws(QueryStoreError) -> MemoryStore {
    let records = memory.load(.main).records
    let generation = memory.load(.main).generation
    switch mistake {
    case .forgetsTheLastBatch where generation == .first:
      try memory.write(StoreBatch(generation: generation, removals: ["d"]), to: .main)
    case .forgetsWipes where generation > .first:
      let fresh = MemoryStore()
      try fresh.write(StoreBatch(generation: .first, puts: records), to: .main)
      return fresh
    default: break
    }
    return memory
  }
}
