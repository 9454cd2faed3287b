import Synchronization

/// Hears of callers that wait for a client in virtual time: the executor of a simulation.
///
/// All methods are called on the task that waits, after it was suspended, and outside of locks.
package protocol WaitObserver: TaskExecutor {
  /// A caller waits for a client that runs on this executor.
  func callerWaits(_ wait: CallerWait)

  /// An observer waits for news on a stream of a client that runs on this executor.
  ///
  /// - Parameters:
  ///   - subject: What it waits for, in words.
  ///   - leave: Ends its observation, as a cancellation does.
  func observerWaits(for subject: () -> String, leave: () -> Void)

  /// A task whose `Scheduling` names this executor waits for a client that runs elsewhere.
  ///
  /// - Parameters:
  ///   - subject: What it waits for, in words.
  ///   - owner: An object that lives at least as long as the wait.
  ///   - isOnPool: Whether that client has no executor of its own.
  func waitsElsewhere(
    for subject: () -> String,
    owner: any AnyObject & Sendable,
    isOnPool: Bool
  )
}

/// Whether anybody may want to hear of waits.
package enum WaitObservation {
  /// Off in every process without a simulation: there, checking this flag is the only cost of a
  /// wait.
  private static let isOn = Atomic(false)

  /// From now on waits are reported.
  package static func begin() {
    isOn.store(true, ordering: .relaxed)
  }

  @inline(__always)
  static var hasBegun: Bool { isOn.load(ordering: .relaxed) }
}

/// What a caller waits for, and which observer wants to hear of it.
struct WaitSubject: Sendable {
  let observer: any WaitObserver
  let isElsewhere: Bool
  /// Whether what is waited for has no executor of its own: a preview has one.
  let isOnPool: Bool
  let text: @Sendable () -> String
}

extension WaitSubject {
  /// What the present task waits for; `nil` in an app.
  ///
  /// - Parameters:
  ///   - own: The observer of what is waited for, if it lives in a simulation.
  ///   - executor: Where that runs.
  ///   - text: What it is, in words.
  init?(
    _ own: (any WaitObserver)?,
    on executor: (any TaskExecutor)?,
    _ text: @escaping @Sendable () -> String
  ) {
    let elsewhere = own == nil ? Scheduling.current.executor as? any WaitObserver : nil
    guard let observer = own ?? elsewhere else { return nil }
    self.init(
      observer: observer,
      isElsewhere: own == nil,
      isOnPool: executor == nil,
      text: text
    )
  }

  /// Tells that what is waited for is not part of the observer's world.
  ///
  /// - Parameter owner: An object that lives at least as long as the wait.
  func tellElsewhere(_ owner: any AnyObject & Sendable) {
    observer.waitsElsewhere(for: text, owner: owner, isOnPool: isOnPool)
  }
}

/// The wait of one caller; exists exactly as long as the caller waits.
package final class CallerWait: Sendable {
  private let subject: WaitSubject
  private let onLeave: @Sendable () -> Void

  /// Creates the wait of the present task.
  ///
  /// - Parameters:
  ///   - subject: What the caller waits for.
  ///   - onLeave: Called when the caller is cancelled.
  init(_ subject: WaitSubject, onLeave: @escaping @Sendable () -> Void) {
    self.subject = subject
    self.onLeave = onLeave
  }

  /// Creates the wait of the present task; `nil` in an app.
  ///
  /// - Parameters:
  ///   - executor: The executor that runs what the caller waits for.
  ///   - text: What the caller waits for, in words.
  ///   - onLeave: Called when the caller is cancelled.
  package convenience init?(
    on executor: (any TaskExecutor)?,
    for text: String,
    onLeave: @escaping @Sendable () -> Void
  ) {
    guard WaitObservation.hasBegun,
      let subject = WaitSubject(executor as? any WaitObserver, on: executor, { text })
    else { return nil }
    self.init(subject, onLeave: onLeave)
  }

  /// What the caller waits for, in words.
  package var text: String { subject.text() }

  /// Ends the wait as if the caller were cancelled; does nothing if it is over.
  package func leave() {
    onLeave()
  }

  /// The caller is suspended.
  package func began() {
    if subject.isElsewhere {
      subject.tellElsewhere(self)
    } else {
      subject.observer.callerWaits(self)
    }
  }
}
