import StreamQueryTesting
import Synchronization

/// A clock of somebody else: while a test wants it, it throws an error of its own instead of waiting.
final class FailingClock: Clock, Sendable {
  typealias Instant = SimulationClock.Instant

  private struct Failure: Error {}

  private let base: SimulationClock
  private let state = Mutex(false)

  init(_ base: SimulationClock) {
    self.base = base
  }

  var isFailing: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  var now: Instant { base.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    if isFailing { throw Failure() }
    try await base.sleep(until: deadline, tolerance: nil)
  }
}
