import Synchronization

/// Lines that jobs of a simulation write, read by the test afterwards.
final class Collected<Line: Sendable>: Sendable {
  private let stored = Mutex<[Line]>([])

  var lines: [Line] { stored.withLock { $0 } }

  func append(_ line: Line) {
    stored.withLock { $0.append(line) }
  }
}
