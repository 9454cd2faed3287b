/// The state of a ``CurrentValue``: the value, its version, and the consumers that wait for the next one.
///
/// A waiter is any value that stands for a waiting consumer; it is kept here until the next value
/// comes.
struct CurrentValueState<Value: Sendable, Waiter: Sendable>: Sendable {
  /// The answer to a consumer that asks for a value.
  enum Look: Sendable {
    case value(Value, version: UInt64)
    case nothing
    case finished
  }

  private(set) var value: Value
  /// Grows with each value.
  private(set) var version: UInt64 = 0
  private(set) var isFinished = false
  /// The waiters in the order of their ids, in which they came.
  private var waiters: [(id: UInt64, waiter: Waiter)] = []
  private var lastID: UInt64 = 0

  init(_ value: Value) {
    self.value = value
  }

  mutating func makeWaitID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// The value, unless the consumer has seen it.
  func look(after seen: UInt64?) -> Look {
    if seen != version { return .value(value, version: version) }
    return isFinished ? .finished : .nothing
  }

  /// Parks a consumer; `false` if there is a value or an end for it already.
  mutating func park(_ waiter: Waiter, _ id: UInt64, after seen: UInt64?) -> Bool {
    guard seen == version, !isFinished else { return false }
    waiters.append((id, waiter))
    return true
  }

  /// A consumer was cancelled.
  ///
  /// - Returns: The waiter to resume, if it was parked.
  mutating func leave(_ id: UInt64) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    return waiters.remove(at: index).waiter
  }

  /// Takes another value, and returns the former one in its place, to be released outside the lock.
  ///
  /// - Returns: The waiters to resume.
  mutating func replace(_ new: inout Value) -> [Waiter] {
    guard !isFinished else { return [] }
    swap(&value, &new)
    version += 1
    return takeWaiters()
  }

  mutating func finish() -> [Waiter] {
    isFinished = true
    return takeWaiters()
  }

  private mutating func takeWaiters() -> [Waiter] {
    defer { waiters = [] }
    return waiters.map(\.waiter)
  }
}
