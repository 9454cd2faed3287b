/// What a kept run is doing.
package struct RunProgress: Sendable {
  package enum Phase: Sendable {
    /// It is not kept yet.
    case saving
    /// It waits for its turn, the network, the app or its next attempt.
    case waiting
    /// Its work, or a callback, is called.
    case sending
    /// It waits for an answer to its error.
    case stopped
  }

  package var phase: Phase
  /// The number of failed attempts so far.
  package var failureCount: Int
  /// Why the newest attempt failed.
  package var failureReason: ErrorBox?
}

extension MutationMachine {
  /// What the run is doing, for its keeper.
  var progress: RunProgress.Phase {
    switch phase {
    case .saving: .saving
    case .preparing: isToBeKept ? .saving : .waiting
    case .queued, .paused, .waiting: .waiting
    case .running, .settling, .ended: .sending
    case .stopped: .stopped
    }
  }
}
