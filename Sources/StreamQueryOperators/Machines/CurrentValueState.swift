/// The state of a ``CurrentValue``: the value, its version, and the consumers that wait for the next value.
///
/// A waiter stands for a waiting consumer, and is stored until the next value comes.
struct CurrentValueState<Value: Sendable, Waiter: Sendable>: Sendable {
  /// The answer to a consumer that asks for a value.
  enum Look: Sendable {
    case value(Value, version: UInt64)
    case nothing
    case finished
  }

  private(set) var value: Value
  /// A number that grows with each new value.
  private(set) var version: UInt64 = 0
  private(set) var isFinished = false
  /// The waiters, in the order in which they came.
  private var waiters: [(id: UInt64, waiter: Waiter)] = []
  private var lastID: UInt64 = 0

  init(_ value: Value) {
    self.value = value
  }

  mutating func makeWaitID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Returns the value, unless `seen` is its version, which the consumer has got already.
  func look(after seen: UInt64?) -> Look {
    if seen != version { return .value(value, version: version) }
    return isFinished ? .finished : .nothing
  }

  /// Adds a waiting consumer; returns `false` if there is a value or an end for it already.
  mutating func park(_ waiter: Waiter, _ id: UInt64, after seen: UInt64?) -> Bool {
    guard seen == version, !isFinished else { return false }
    waiters.append((id, waiter))
    return true
  }

  /// Removes a consumer that was cancelled.
  ///
  /// - Returns: The waiter to resume; `nil` if the consumer was not waiting.
  mutating func leave(_ id: UInt64) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    return waiters.remove(at: index).waiter
  }

  /// Sets the value, and puts the former value into `new`, so that the caller releases it outside of the
  /// lock.
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
