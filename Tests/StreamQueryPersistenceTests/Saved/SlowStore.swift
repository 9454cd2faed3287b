import StreamQuery
import StreamQueryPersistence
import Synchronization

/// A store in memory that takes its time, and fails when it is told to.
final class SlowStore: QueryStore {
  struct Script {
    var loading = Duration.zero
    var writing = Duration.zero
    var wiping = Duration.zero
    var loadError: QueryStoreError?
    /// The errors of the next writes.
    var writeErrors: [QueryStoreError] = []
    /// Whether a batch has been written although that says it was not.
    var writesBeforeErrors = false
    /// The error of every batch that it refuses.
    var refuses: (@Sendable (StoreBatch, StorePartition) -> QueryStoreError?)?
    /// The errors of the next wipes.
    var wipeErrors: [QueryStoreError] = []
    var batches: [StoreBatch] = []
    var loads = 0
    var wipes: [StorePartition] = []
  }

  let memory: MemoryStore
  private let clock: any Clock<Duration>
  private let script: Mutex<Script>

  init(
    _ memory: MemoryStore = MemoryStore(),
    clock: any Clock<Duration>,
    _ change: (inout Script) -> Void = { _ in }
  ) {
    self.memory = memory
    self.clock = clock
    var script = Script()
    change(&script)
    self.script = Mutex(script)
  }

  var batches: [StoreBatch] { script.withLock { $0.batches } }
  var loads: Int { script.withLock { $0.loads } }
  var wipes: [StorePartition] { script.withLock { $0.wipes } }

  func change(_ change: (inout sending Script) -> Void) { script.withLock { change(&$0) } }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    let (time, error) = script.withLock { script in
      script.loads += 1
      return (script.loading, script.loadError)
    }
    if time > .zero { try? await clock.sleep(for: time) }
    if let error { throw error }
    return memory.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    let (time, error, refuses, writes) = script.withLock { script in
      script.batches.append(batch)
      let error = script.writeErrors.isEmpty ? nil : script.writeErrors.removeFirst()
      return (script.writing, error, script.refuses, script.writesBeforeErrors)
    }
    if time > .zero { try? await clock.sleep(for: time) }
    if error != nil, writes { try memory.write(batch, to: partition) }
    if let error = error ?? refuses?(batch, partition) { throw error }
    try memory.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    let (time, error) = script.withLock { script in
      script.wipes.append(partition)
      return (script.wiping, script.wipeErrors.isEmpty ? nil : script.wipeErrors.removeFirst())
    }
    if time > .zero { try? await clock.sleep(for: time) }
    if let error { throw error }
    return memory.wipe(partition)
  }
}
