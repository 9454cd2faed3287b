import Synchronization

/// Values in the order in which they came.
final class Recorded<Value: Sendable>: Sendable {
  private let all = TestLock<[Value]>([])

  var values: [Value] { all.withLock { $0 } }

  func append(_ value: Value) { all.withLock { $0.append(value) } }

  func removeAll() { all.withLock { $0 = [] } }
}
