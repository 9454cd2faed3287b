import Synchronization

@testable import StreamQuery

/// Stands in for an operating system: says what it is told to say and counts how often it was asked.
final class ScriptedSystem: Sendable {
  struct Counts: Equatable {
    var starts = 0
    var stops = 0
  }

  private struct State {
    var present: Bool?
    var counts = Counts()
    var report: SharedState.Report?
  }

  private let state: TestLock<State>
  private let starts = AsyncStream<Void>.makeStream()

  /// - Parameter present: What it says while it starts; `nil` says nothing.
  init(present: Bool?) {
    state = TestLock(State(present: present))
  }

  var counts: Counts { state.withLock(\.counts) }

  /// To be handed to a `SharedState`.
  var start: SharedState.Start {
    { report in
      let present = self.state.withLock { state in
        state.counts.starts += 1
        state.report = report
        return state.present
      }
      if let present { report(present) }
      self.starts.continuation.yield()
      return {
        self.state.withLock { state in
          state.counts.stops += 1
          state.report = nil
        }
      }
    }
  }

  /// Waits for the next start that nobody waited for yet.
  func started() async {
    _ = await starts.stream.first { true }
  }

  func report(_ present: Bool) {
    let report = state.withLock { state in
      state.present = present
      return state.report
    }
    report?(present)
  }
}
