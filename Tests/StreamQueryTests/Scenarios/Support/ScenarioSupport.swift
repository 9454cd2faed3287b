import StreamQueryTesting
import Synchronization

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// An error that says which of several it is.
struct Boom: Error, Equatable, CustomStringConvertible {
  var code: Int

  init(_ code: Int = 0) {
    self.code = code
  }

  var description: String { "boom \(code)" }
}

/// A moment of a timeline, in milliseconds since the start.
func at<Value: Sendable>(
  _ milliseconds: Int,
  _ summary: ResultSummary<Value>
) -> TimedSummary<Value> {
  TimedSummary(at: .milliseconds(milliseconds), summary)
}

/// What closures of a test leave for it to look at.
final class Notes<Element: Sendable>: Sendable {
  private let notes = TestLock<[Element]>([])

  var all: [Element] { notes.withLock { $0 } }
  var count: Int { all.count }

  func add(_ note: Element) {
    notes.withLock { $0.append(note) }
  }
}

/// A value that a test changes by hand and closures read.
final class Dial<Value: Sendable>: Sendable {
  private let stored: TestLock<Value>

  init(_ value: Value) {
    stored = TestLock(value)
  }

  var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }

  func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    stored.withLock { body(&$0) }
  }
}

/// A value whose end can be seen.
final class Witness: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(onDeinit: @escaping @Sendable () -> Void = {}) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}

/// Remembers an object without keeping it.
final class Weak<Object: AnyObject & Sendable>: Sendable {
  private weak let stored: Object?

  init(_ object: Object) {
    stored = object
  }

  var isGone: Bool { stored == nil }
}

extension Query where Value == Int {
  /// A query of a scripted fetch under a one-part key.
  static func scripted(_ key: String, _ fetch: ScriptedFetch<Int>) -> Self {
    Query(key: QueryKey(key), fetch: fetch)
  }
}
