/// The actions that a run's machine requests after an input, as data; the cache and the client
/// perform them in order.
package struct MutationActions: Equatable, Sendable {
  /// The next step of a run that is not over.
  package enum Step: Sendable {
    /// Cancel the run's task; the task reports how it ended.
    case cancel
    /// Call the callbacks that come before the first attempt.
    case prepare
    /// Run an attempt.
    case perform
    /// Write the run to the outbox, and report when that is done.
    case keep
    /// The run is paused: it waits for its scope, the network or the app.
    case pause
    /// The run stops until it is retried, gets another input or is cancelled.
    case stop
  }

  /// The next step; `nil` if the run only waits, or is over.
  package var step: Step?
  /// The outcome is decided: update the run's layers, then call the run's callbacks unless `ended` is set.
  package var concluded: MutationMachine.Ending?
  /// The run is over: answer its callers, and let the next run of the scope begin.
  package var ended: MutationMachine.Ending?
  /// An observer of the run may see a difference.
  package var changed = false
  /// The run may be forgotten.
  package var expired = false

  /// Creates actions that ask for nothing.
  package init() {}

  /// Nothing to do.
  package static let none = MutationActions()
}

/// The facts that a machine needs about the options and callbacks of its run.
package struct RunOptions: Hashable, Sendable {
  /// Points of a run at which callbacks are called.
  package struct Callbacks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let beforeAttempts = Callbacks(rawValue: 1)
    package static let afterOutcome = Callbacks(rawValue: 2)
  }

  /// How long the run is kept after it ended.
  package var gcTime = TimeSpan.zero
  /// The behaviour while offline.
  package var networkMode = NetworkMode.online
  /// The points at which the run has callbacks.
  package var callbacks: Callbacks = []
  /// Whether the outbox stores the run; the run does not perform before that.
  package var isDurable = false
  /// The least time between the start of the run and its first attempt.
  package var delay = TimeSpan.zero

  /// Creates the options of a run that has no callbacks and is not durable.
  package init() {}

  func canStart(in environment: Environment) -> Bool {
    networkMode != .online || environment.isOnline
  }

  /// Whether a run may go on after a wait.
  ///
  /// A durable run also goes on while the app is inactive.
  func canContinue(in environment: Environment) -> Bool {
    (environment.isActive || isDurable)
      && (networkMode == .always || environment.isOnline)
  }
}

/// The progress of a durable run.
package struct RunProgress: Sendable {
  package enum Phase: Sendable {
    /// The run is not in the outbox's store yet.
    case saving
    /// The run waits for earlier runs of its scope, the network, the app or its next attempt.
    case waiting
    /// The work of the run, or a callback, is running.
    case sending
    /// The run has stopped until it is retried, gets another input or is cancelled.
    case stopped
  }

  package var phase: Phase
  /// The number of failed attempts so far.
  package var failureCount: Int
  /// The error of the newest attempt.
  package var failureReason: ErrorBox?
}

extension MutationMachine {
  /// The progress of the run, for the outbox.
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
