internal import Synchronization

/// The callers that wait before their fetches begin, by their numbers.
struct RestoringCallers: Sendable {
  var callers: [UInt64: RestoringCaller] = [:]
  private var lastNumber: UInt64 = 0

  mutating func comes(for key: EntryKey, _ definition: QueryDefinition) -> RestoringCaller {
    lastNumber += 1
    let caller = RestoringCaller(key, definition, lastNumber)
    callers[lastNumber] = caller
    return caller
  }
}

/// A caller that waits before its fetch begins: for a store, or for its turn in a refresh.
final class RestoringCaller: Sendable {
  private struct State {
    var isCancelled = false
    var wait: SharedOneShot<Void>?
  }

  let key: EntryKey
  let definition: QueryDefinition
  /// The caller's number, in the order in which callers came.
  let number: UInt64
  private let state = Mutex(State())

  init(_ key: EntryKey, _ definition: QueryDefinition, _ number: UInt64) {
    (self.key, self.definition, self.number) = (key, definition, number)
  }

  /// Whether the key was removed meanwhile, or its fetch cancelled.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether the caller waits for a store, or did so.
  var hasWaited: Bool { state.withLock { $0.wait != nil } }

  /// Notes that the key is removed, or its fetch cancelled.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Ends the present wait.
  func resume() { state.withLock { $0.wait }?.give(()) }

  /// Begins a wait, which is over already if the caller is cancelled.
  func nextWait() -> SharedOneShot<Void> {
    let wait = SharedOneShot<Void>()
    let isOver = state.withLock { state in
      state.wait = wait
      return state.isCancelled
    }
    if isOver { wait.give(()) }
    return wait
  }
}
