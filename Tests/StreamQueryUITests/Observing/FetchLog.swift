import Synchronization

/// What was fetched, in order.
final class FetchLog: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func add(_ line: String) { state.withLock { $0.append(line) } }
}
