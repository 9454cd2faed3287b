import StreamQuery
import StreamQueryPersistence
import Synchronization

@testable import StreamQueryTesting

/// A store in memory, as one process sees it: it takes any time, fails before or after its work, says
/// that it is full, and may end with its process at any call.
final class FaultyStore: QueryStore {
  /// What goes wrong with a call.
  enum Fault: String, CaseIterable {
    case none, slow, before, after, full, deadBefore, deadAfter
  }

  struct Log {
    var random: SplitMix
    var isDead = false
    var faults: [Fault] = []
    /// What the process was told: errors, and of batches that were written.
    var answers: [String] = []
    /// How long the records took to be read for the first time.
    var loading: Duration?
  }

  struct Broken: Error {}

  let memory: MemoryStore
  private let clock: any Clock<Duration>
  private let saysFull: Bool
  private let state: Mutex<Log>

  init(_ memory: MemoryStore, _ clock: any Clock<Duration>, seed: UInt64, saysFull: Bool) {
    self.memory = memory
    self.clock = clock
    self.saysFull = saysFull
    state = Mutex(Log(random: SplitMix(seed: seed)))
  }

  var log: Log { state.withLock { $0 } }

  /// Nothing reaches the memory from now on.
  func die() { state.withLock { $0.isDead = true } }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    let (fault, time) = draw([.none, .none, .none, .none, .slow, .slow, .before, .deadBefore])
    state.withLock { $0.loading = $0.loading ?? time }
    try? await clock.sleep(for: time)
    if fault == .deadBefore { die() }
    if fault == .before || log.isDead { throw failure(.failed(Broken())) }
    return memory.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    let (fault, time) = draw([
      .none, .none, .none, .none, .slow, .slow, .before, .before, .after, .after,
      saysFull ? .full : .none, saysFull ? .full : .slow, .deadBefore, .deadAfter,
    ])
    try? await clock.sleep(for: time)
    if fault == .deadBefore { die() }
    if fault == .full { throw failure(.full) }
    if fault == .before || log.isDead { throw failure(.denied) }
    try memory.write(batch, to: partition)
    if fault == .deadAfter { die() }
    if fault == .after || fault == .deadAfter { throw failure(.failed(Broken())) }
    state.withLock { $0.answers.append("written") }
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    memory.wipe(partition)
  }

  private func draw(_ faults: [Fault]) -> (Fault, Duration) {
    state.withLock { state in
      let fault = faults[state.random.next(below: faults.count)]
      state.faults.append(fault)
      let longest = fault == .slow ? 40_000 : [1, 50, 2_000][state.random.next(below: 3)]
      return (fault, .milliseconds(state.random.next(below: longest)))
    }
  }

  private func failure(_ error: QueryStoreError) -> QueryStoreError {
    state.withLock { state in
      if !state.isDead { state.answers.append(Self.name(of: error)) }
    }
    return error
  }

  static func name(of error: QueryStoreError) -> String {
    switch error {
    case .full: "full"
    case .denied: "denied"
    case .failed(let error): "failed \(type(of: error))"
    case .inUse, .otherVersion, .superseded, .closed, .filesReplaced: "unexpected"
    }
  }
}
