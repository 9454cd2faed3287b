import Synchronization

/// One caller that waits for an entry's current fetch.
///
/// The transaction that lets a caller wait registers the waiter, so that no answer is missed before the
/// caller is suspended.
final class Waiter: Sendable {
  /// The role of the caller in the fetch.
  enum Role: Sendable {
    /// The caller wants the fetch to go on, and gets the value of the fetch.
    case leasing
    /// The caller only watches, until the fetch is settled.
    case watching
    /// The caller only watches, and does not wait for a fetch that is paused at the call.
    case watchingUnlessPaused
    /// The caller only watches, until the fetch is settled, paused, or between attempts.
    case watchingAttempt

    /// Whether the wait ends if a paused fetch replaces the awaited one.
    var endsAtPause: Bool { self == .watchingUnlessPaused || self == .watchingAttempt }
  }

  let role: Role
  /// Whether the caller is a mutation's run that only watches.
  ///
  /// Such a caller does not wait for a fetch that waits for the app.
  let isOfRun: Bool
  /// The entry whose fetch is awaited; `nil` for the caller of a run of a mutation.
  let entry: EntryID?
  /// The priority of the caller when the wait began.
  let priority: WorkPriority
  /// The generation of waiters that the waiter belongs to; 0 when it has left.
  ///
  /// Written under the cache's lock.
  var generation: UInt64 {
    get { storedGeneration.load(ordering: .relaxed) }
    set { storedGeneration.store(newValue, ordering: .relaxed) }
  }
  private let storedGeneration: Atomic<UInt64>
  /// Whether the fetch in flight is too old for the caller, so that it waits for the next fetch; written
  /// under the cache's lock.
  var waitsForSuccessor: Bool {
    get { storedWait.load(ordering: .relaxed) }
    set { storedWait.store(newValue, ordering: .relaxed) }
  }
  private let storedWait = Atomic(false)
  /// The registered wait of the fetch or run in which the caller waits; `nil` for other callers.
  private let wait: WorkWait?
  private let answer = OneShot<WaitOutcome>()
  private let group: WaitGroup?
  /// The stale data that the caller accepts instead of waiting longer; `nil` if it accepts none.
  let allowance: StaleAllowance?
  /// The entry at the end of the fetch, if it had no observer; written under the cache's lock.
  ///
  /// Such an entry may be dropped before the caller reads it.
  private let storedEnd = Mutex<EntryEnd?>(nil)
  var end: EntryEnd? { storedEnd.withLock { $0 } }

  func setEnd(_ end: EntryEnd) {
    storedEnd.withLock { $0 = end }
  }

  init(
    role: Role,
    isOfRun: Bool = false,
    entry: EntryID? = nil,
    generation: UInt64 = 0,
    priority: WorkPriority = .current,
    wait: WorkWait? = nil,
    group: WaitGroup? = nil,
    allowance: StaleAllowance? = nil
  ) {
    self.wait = wait
    self.priority = priority
    self.role = role
    self.isOfRun = isOfRun
    self.entry = entry
    storedGeneration = Atomic(generation)
    self.group = group
    self.allowance = allowance
  }

  /// Waits for the outcome; a cancelled caller leaves at once.
  ///
  /// - Parameters:
  ///   - subject: The subject of the wait, if waits are reported.
  ///   - onCancel: Tells the fetch that this caller has left.
  /// - Returns: The outcome.
  func outcome(
    _ subject: WaitSubject?,
    onCancel: @escaping @Sendable () -> Void
  ) async -> WaitOutcome {
    guard let subject else { return await outcome(onCancel: onCancel) }
    let wait = CallerWait(subject) { self.leave(onCancel) }
    defer { withExtendedLifetime(wait) {} }
    return await outcome(whenSuspended: wait.began, onCancel: onCancel)
  }

  /// Waits for the outcome where waits are not reported, as in an app.
  ///
  /// Unlike ``outcome(_:onCancel:)``, this keeps no closure.
  func outcome(
    whenSuspended: () -> Void = {},
    onCancel: @Sendable () -> Void
  ) async -> WaitOutcome {
    await withTaskCancellationHandler {
      await answer.wait(whenSuspended: whenSuspended) ?? .cancelled
    } onCancel: {
      leave(onCancel)
    }
  }

  /// Ends the wait of a caller that was cancelled or gave up.
  ///
  /// - Parameters:
  ///   - outcome: The outcome for the caller.
  ///   - giveBack: Tells the fetch that this caller has left.
  func leave(as outcome: WaitOutcome = .cancelled, _ giveBack: @Sendable () -> Void) {
    guard let resumption = store(outcome) else { return }
    group?.resolve(outcome)
    giveBack()
    // The caller is resumed at the very end: an executor that runs jobs inside `enqueue` continues
    // the caller here, and all captures of the handler are released with the caller's stack frame.
    resumption.resume()
  }

  /// Ends the registered wait of the caller's fetch or run, because the outcome is decided or the caller
  /// left.
  func endWait() { wait?.end() }

  /// Whether the caller was answered or has left.
  var isResolved: Bool { answer.isSettled || group?.isOver == true }

  /// Answers the caller; the first answer counts.
  ///
  /// Do not call this under a lock.
  ///
  /// - Parameter outcome: The answer.
  /// - Returns: Whether this answer was the first.
  @discardableResult
  func resolve(_ outcome: WaitOutcome) -> Bool {
    guard let resumption = store(outcome) else { return false }
    group?.resolve(outcome)
    resumption.resume()
    return true
  }

  /// Stores an answer; `nil` if it is not the first.
  private func store(_ outcome: WaitOutcome) -> OneShot<WaitOutcome>.Resumption? {
    defer { endWait() }
    return answer.resolve(outcome)
  }
}

extension Waiter {
  /// The highest priority of the callers that still wait.
  ///
  /// - Parameters:
  ///   - waiters: The callers.
  ///   - other: A priority that the result must exceed; `nil` is none.
  /// - Returns: The priority; `nil` if no caller with such a priority waits.
  static func priority(of waiters: Few<Waiter>, above other: WorkPriority? = nil) -> WorkPriority? {
    var highest: WorkPriority?
    for waiter in waiters {
      if let present = highest ?? other, waiter.priority <= present { continue }
      // This is checked last, because it takes a lock.
      if !waiter.isResolved { highest = waiter.priority }
    }
    return highest
  }
}

/// The stale data that a waiting caller accepts instead of the answer of its fetch; only callers
/// that accept some have one.
final class StaleAllowance: Sendable {
  /// The rule by which data is stale for the caller.
  let freshness: Freshness
  /// How long after the data became stale the caller accepts it.
  let staleIfError: TimeSpan
  /// The time from which the caller takes stale data while the fetch runs; `nil` if it never does.
  let softTimeoutEnd: Instant?

  init(_ freshness: Freshness, staleIfError: TimeSpan, softTimeoutEnd: Instant? = nil) {
    self.freshness = freshness
    self.staleIfError = staleIfError
    self.softTimeoutEnd = softTimeoutEnd
  }
}

/// The outcome of a fetch for one caller that waited.
enum WaitOutcome: Sendable {
  case value(ValueBox)
  case failure(any Error)
  case cancelled
  /// The fetch has settled; only callers that watch get this outcome.
  case settled

  /// The fetched value; throws if there is none.
  var box: ValueBox {
    get throws {
      switch self {
      case .value(let box): return box.settled
      case .failure(let error): throw error
      case .cancelled, .settled: throw CancellationError()
      }
    }
  }
}

/// An entry at the end of its fetch.
final class EntryEnd: Sendable {
  let snapshot: EntrySnapshot
  let machine: EntryMachine

  init(snapshot: EntrySnapshot, machine: EntryMachine) {
    self.snapshot = snapshot
    self.machine = machine
  }
}
