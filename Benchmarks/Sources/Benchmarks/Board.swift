import Synchronization

/// The minimum that shares a value with tasks: a lock, a version, and the tasks that wait.
///
/// Everything that a cache does for its consumers beyond this is the cache's own cost.
final class Board: Sendable {
  final class Note: Sendable {
    let value: Int

    init(_ value: Int) { self.value = value }
  }

  private struct State {
    var note: Note?
    var version = 0
    var isOver = false
    var parked: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func publish(_ value: Int) {
    let note = Note(value)
    let parked = state.withLock { state in
      state.note = note
      state.version += 1
      defer { state.parked = [] }
      return state.parked
    }
    for continuation in parked { continuation.resume() }
  }

  func finish() {
    let parked = state.withLock { state in
      state.isOver = true
      defer { state.parked = [] }
      return state.parked
    }
    for continuation in parked { continuation.resume() }
  }

  /// The number of tasks that wait.
  var waiting: Int { state.withLock { $0.parked.count } }

  /// Makes a stream for one consumer, which sees only the newest value.
  func stream() -> AsyncStream<Note> {
    let seen = Atomic(0)
    let consumer = Consumer(seen: seen)
    return AsyncStream(unfolding: { await self.next(consumer) }, onCancel: { self.finish() })
  }

  private final class Consumer: Sendable {
    let seen: Atomic<Int>

    init(seen: consuming Atomic<Int>) { self.seen = seen }
  }

  private func next(_ consumer: Consumer) async -> Note? {
    while true {
      let seen = consumer.seen.load(ordering: .relaxed)
      let (note, version, isOver) = state.withLock { state -> (Note?, Int, Bool) in
        (state.version != seen ? state.note : nil, state.version, state.isOver)
      }
      if isOver { return nil }
      if let note {
        consumer.seen.store(version, ordering: .relaxed)
        return note
      }
      await withUnsafeContinuation { continuation in
        let isParked = state.withLock { state in
          guard state.version == seen, !state.isOver else { return false }
          state.parked.append(continuation)
          return true
        }
        if !isParked { continuation.resume() }
      }
    }
  }
}
