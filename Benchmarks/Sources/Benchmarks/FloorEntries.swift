import Synchronization

/// An entry of a `FloorClient`.
// Unchecked: all that changes is used under the client's lock.
final class FloorEntry: @unchecked Sendable {
  let key: FloorKey
  private(set) var box: FloorBox?
  var error: (any Error)?
  private(set) var updatedAt: Int64 = 0
  /// Rises with each change of the data.
  private(set) var version = 0
  var gcTime: Int64 = 0
  var fetch: Fetch?
  var observerCount = 0
  /// The observers that wait for new data.
  var parked: [Parked] = []
  /// The time when the entry is removed, and its position in the heap, which is -1 if ``isWanted``.
  fileprivate var deadline: Int64 = 0
  fileprivate var position = -1

  fileprivate init(_ key: FloorKey) { self.key = key }

  /// Whether somebody observes the entry, or waits for its fetch.
  var isWanted: Bool { observerCount > 0 || fetch != nil }

  func land(_ box: FloorBox, _ now: Int64) {
    self.box = box
    error = nil
    updatedAt = now
    version += 1
  }

  /// Removes and returns the observers that wait, all or the given one.
  func takeParked(of observer: ObjectIdentifier? = nil) -> [Parked] {
    guard !parked.isEmpty else { return [] }
    let taken = parked.filter { observer == nil || $0.observer == observer }
    parked.removeAll { observer == nil || $0.observer == observer }
    return taken
  }

  /// An observer that waits.
  struct Parked: Sendable {
    let observer: ObjectIdentifier
    let continuation: UnsafeContinuation<Void, Never>

    init(observer: ObjectIdentifier, _ continuation: UnsafeContinuation<Void, Never>) {
      self.observer = observer
      self.continuation = continuation
    }
  }

  /// A fetch in flight.
  // Unchecked: used under the client's lock.
  final class Fetch: @unchecked Sendable {
    var waiters: [Waiter]
    var isCancelled = false
    private(set) var task: Task<Void, Never>?

    init(_ first: Waiter) { waiters = [first] }

    /// Stores the handle of the fetch's task.
    ///
    /// - Returns: Whether the fetch was cancelled before.
    func began(_ task: Task<Void, Never>) -> Bool {
      self.task = task
      return isCancelled
    }
  }

  /// A caller that waits for a fetch.
  final class Waiter: Sendable {
    typealias Answer = Result<FloorBox, any Error>

    private enum State {
      case empty
      case waits(UnsafeContinuation<Answer, Never>)
      case given(Answer)
      case over
    }

    private let state = Mutex(State.empty)

    /// Gives the caller its answer.
    ///
    /// - Returns: Whether this is the first answer.
    @discardableResult
    func resolve(_ answer: Answer) -> Bool {
      let (isFirst, waiting) = state.withLock {
        state -> (Bool, UnsafeContinuation<Answer, Never>?) in
        switch state {
        case .empty:
          state = .given(answer)
          return (true, nil)
        case .waits(let waiting):
          state = .over
          return (true, waiting)
        case .given, .over: return (false, nil)
        }
      }
      waiting?.resume(returning: answer)
      return isFirst
    }

    func result() async -> Answer {
      await withUnsafeContinuation { continuation in
        let given = state.withLock { state -> Answer? in
          if case .given(let answer) = state {
            state = .over
            return answer
          }
          state = .waits(continuation)
          return nil
        }
        if let given { continuation.resume(returning: given) }
      }
    }
  }
}

/// The entries of a `FloorClient`, and a heap of the entries that will be removed.
struct FloorEntries {
  private var table: [FloorKey: FloorEntry] = [:]
  private var heap: [FloorEntry] = []

  /// The entry of a key, which is made if there is none.
  mutating func entry(of key: FloorKey) -> FloorEntry {
    if let entry = table[key] { return entry }
    let entry = FloorEntry(key)
    table[key] = entry
    return entry
  }

  /// Ends the retention of an entry that is wanted, or begins the retention of one that is not.
  mutating func settle(_ entry: FloorEntry, _ now: Int64) {
    if entry.isWanted {
      if entry.position >= 0 { remove(at: entry.position) }
      return
    }
    entry.deadline = now + entry.gcTime
    if entry.position < 0 {
      entry.position = heap.count
      heap.append(entry)
    }
    sift(entry.position)
  }

  /// Removes the first entry whose retention is over; `nil` if there is none.
  mutating func takeExpired(_ now: Int64) -> FloorEntry? {
    guard let first = heap.first, first.deadline <= now else { return nil }
    remove(at: 0)
    table[first.key] = nil
    return first
  }

  private mutating func remove(at position: Int) {
    heap[position].position = -1
    let last = heap.removeLast()
    guard position < heap.count else { return }
    put(last, at: position)
    sift(position)
  }

  private mutating func put(_ entry: FloorEntry, at position: Int) {
    heap[position] = entry
    entry.position = position
  }

  /// Moves an entry up or down to its place.
  private mutating func sift(_ start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0, entry.deadline < heap[(position - 1) / 2].deadline {
      put(heap[(position - 1) / 2], at: position)
      position = (position - 1) / 2
    }
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
      guard heap[child].deadline < entry.deadline else { break }
      put(heap[child], at: position)
      position = child
    }
    put(entry, at: position)
  }
}
