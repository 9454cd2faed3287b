import Synchronization

/// Lines in the order in which they came.
final class Log: Sendable {
  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock { $0 } }

  func add(_ line: String) { stored.withLock { $0.append(line) } }
}
