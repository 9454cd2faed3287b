import Synchronization

/// What one caller learns of the fetch that it waited for.
enum WaitOutcome: Sendable {
  case value(ValueBox)
  case failure(any Error)
  case cancelled
  /// The fetch settled: for callers that only watch.
  case settled
}

/// One caller that waits for an entry's current fetch.
///
/// Registered in the turn that decided that it has to wait, so that no answer can be missed between
/// that turn and the suspension.
final class Waiter: Sendable {
  /// What the caller is to the fetch.
  enum Role: Sendable {
    /// Holds a lease and takes the value.
    case leasing
    /// Only watches, until the fetch is settled.
    case watching
    /// Only watches, and does not wait for a fetch that rests when it is asked for.
    case watchingUnlessPaused
  }

  private enum State {
    case registered
    case waiting(UnsafeContinuation<WaitOutcome, Never>)
    case resolved(WaitOutcome)
    case delivered
  }

  let role: Role
  let entry: EntryID
  /// How urgent its caller was when it began to wait.
  let priority = WorkPriority.current
  /// Which round of waiters it belongs to, 0 once it left; written under the cache's lock.
  var round: UInt64 {
    get { storedRound.load(ordering: .relaxed) }
    set { storedRound.store(newValue, ordering: .relaxed) }
  }
  private let storedRound: Atomic<UInt64>
  /// Whether the fetch in flight is too old for the caller, who waits for the one that follows it;
  /// written under the cache's lock.
  var waitsForSuccessor: Bool {
    get { storedWait.load(ordering: .relaxed) }
    set { storedWait.store(newValue, ordering: .relaxed) }
  }
  private let storedWait = Atomic(false)
  /// The wait of the work that the caller belongs to.
  private let wait: WorkWait?
  private let state = Mutex(State.registered)
  private let gathering: Gathering?
  /// What was there when the fetch ended, if nobody observed it; written under the cache's lock.
  ///
  /// Its retention may be over before the caller comes to look.
  private let storedEnd = Mutex<EntryEnd?>(nil)
  var end: EntryEnd? { storedEnd.withLock { $0 } }

  func note(_ end: EntryEnd) {
    storedEnd.withLock { $0 = end }
  }

  init(
    role: Role,
    entry: EntryID,
    round: UInt64,
    wait: WorkWait? = nil,
    gathering: Gathering? = nil
  ) {
    self.wait = wait
    self.role = role
    self.entry = entry
    storedRound = Atomic(round)
    self.gathering = gathering
  }

  /// Waits for the outcome; a cancelled caller leaves at once.
  ///
  /// - Parameters:
  ///   - subject: What is waited for, if anybody wants to hear of it.
  ///   - onCancel: Gives the lease back.
  /// - Returns: The outcome.
  func outcome(
    _ subject: WaitSubject? = nil,
    onCancel: @escaping @Sendable () -> Void
  ) async -> WaitOutcome {
    let wait = subject.map { CallerWait($0) { self.leave(onCancel) } }
    defer { withExtendedLifetime(wait) {} }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let resolved: WaitOutcome? = state.withLock { state in
          if case .resolved(let outcome) = state {
            state = .delivered
            return outcome
          }
          state = .waiting(continuation)
          return nil
        }
        if let resolved { return continuation.resume(returning: resolved) }
        wait?.began()
      }
    } onCancel: {
      leave(onCancel)
    }
  }

  /// The caller was cancelled.
  private func leave(_ onCancel: @Sendable () -> Void) {
    guard let place = take(.cancelled) else { return }
    gathering?.resolve(.cancelled)
    onCancel()
    // At the very end: an executor that runs jobs inside `enqueue` lets the caller through here, and
    // with its frame goes all that the handler captured.
    place.continuation?.resume(returning: .cancelled)
  }

  /// The caller's work waits no more: it is decided what the caller gets, or the caller left.
  func endWait() { wait?.end() }

  /// Whether the caller was answered or left.
  var isResolved: Bool {
    let isAnswered = state.withLock {
      switch $0 {
      case .registered, .waiting: false
      case .resolved, .delivered: true
      }
    }
    return isAnswered || gathering?.isOver == true
  }

  /// Answers the caller; the first answer counts.
  ///
  /// Never called under a lock.
  ///
  /// - Parameter outcome: The answer.
  /// - Returns: Whether it was the first.
  @discardableResult
  func resolve(_ outcome: WaitOutcome) -> Bool {
    guard let place = take(outcome) else { return false }
    gathering?.resolve(outcome)
    place.continuation?.resume(returning: outcome)
    return true
  }

  /// Where the first answer goes.
  private struct Place {
    /// `nil` if the caller has not come to wait yet, and finds the answer there.
    let continuation: UnsafeContinuation<WaitOutcome, Never>?
  }

  /// Writes an answer down; `nil` if it is not the first.
  private func take(_ outcome: WaitOutcome) -> Place? {
    defer { endWait() }
    return state.withLock { state in
      switch state {
      case .registered:
        state = .resolved(outcome)
        return Place(continuation: nil)
      case .waiting(let continuation):
        state = .delivered
        return Place(continuation: continuation)
      case .resolved, .delivered:
        return nil
      }
    }
  }
}

/// An entry as it was when its fetch ended.
final class EntryEnd: Sendable {
  let frame: Frame
  private let machine: EntryMachine

  init(frame: Frame, machine: EntryMachine) {
    self.frame = frame
    self.machine = machine
  }

  /// How an observer that was there sees it.
  func flags(for observer: Farewell, at now: Moment) -> QueryFlags {
    machine.flags(for: observer.profile, since: observer.settledBase, at: now)
  }
}

/// A caller that waits for the fetches of several entries.
final class Gathering: Sendable {
  private struct State {
    var remaining: Int
    /// The entries whose fetches are waited for.
    var entries: [EntryID] = []
    /// The waits of the work that the caller belongs to.
    var waits: [WorkWait] = []
    var failure: (any Error)?
    var isDelivered = false
    var continuation: UnsafeContinuation<(any Error)?, Never>?
  }

  private let failsFast: Bool
  private let state: Mutex<State>

  /// Creates a gathering that starts with one thing to wait for: ``open()``.
  init(failsFast: Bool) {
    self.failsFast = failsFast
    state = Mutex(State(remaining: 1))
  }

  func add(_ entry: EntryID, _ wait: WorkWait?) {
    state.withLock { state in
      state.remaining += 1
      state.entries.append(entry)
      if let wait { state.waits.append(wait) }
    }
  }

  /// Whether nobody waits any more.
  var isOver: Bool { state.withLock { $0.isDelivered } }

  /// The entries whose fetches are waited for.
  var entries: [EntryID] { state.withLock { $0.entries } }

  func resolve(_ outcome: WaitOutcome) {
    let answer = take { state in
      state.remaining -= 1
      switch outcome {
      case .failure(let error): state.failure = state.failure ?? error
      case .cancelled: state.failure = state.failure ?? CancellationError()
      case .value, .settled: break
      }
      return state.remaining <= 0 || (failsFast && state.failure != nil)
    }
    answer?.give()
  }

  /// All are registered: from here on, the last one to settle ends the wait.
  func open() {
    resolve(.settled)
  }

  /// Waits until all are settled, or, if it fails fast, one failed.
  ///
  /// A cancelled caller leaves at once.
  ///
  /// - Parameters:
  ///   - subject: What is waited for, if anybody wants to hear of it.
  ///   - onCancel: Takes the waiters out.
  /// - Returns: The first failure.
  func wait(
    _ subject: WaitSubject? = nil,
    onCancel: @escaping @Sendable () -> Void
  ) async -> (any Error)? {
    let wait = subject.map { CallerWait($0) { self.leave(onCancel) } }
    defer { withExtendedLifetime(wait) {} }
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let ready = state.withLock { state -> (isReady: Bool, failure: (any Error)?) in
          if state.isDelivered { return (true, state.failure) }
          state.continuation = continuation
          return (false, nil)
        }
        if ready.isReady { return continuation.resume(returning: ready.failure) }
        wait?.began()
      }
    } onCancel: {
      leave(onCancel)
    }
  }

  /// The caller was cancelled.
  private func leave(_ onCancel: @Sendable () -> Void) {
    let answer = take { _ in true }
    onCancel()
    // At the very end, as above.
    answer?.give()
  }

  /// The caller, and what it is told.
  private struct Answer {
    let continuation: UnsafeContinuation<(any Error)?, Never>
    let failure: (any Error)?

    func give() {
      continuation.resume(returning: failure)
    }
  }

  /// Ends the wait if that is the last thing missing; `nil` if nobody has come to wait yet.
  private func take(_ isDone: (inout State) -> Bool) -> Answer? {
    let (answer, waits) = state.withLock { state -> (Answer?, [WorkWait]) in
      guard !state.isDelivered, isDone(&state) else { return (nil, []) }
      state.isDelivered = true
      let failure = state.failure
      let answer = state.continuation.take().map { Answer(continuation: $0, failure: failure) }
      defer { state.waits = [] }
      return (answer, state.waits)
    }
    // One that fails fast leaves the others behind.
    for wait in waits { wait.end() }
    return answer
  }
}

extension Waiter {
  /// The priority of the most urgent of those who still wait, if it is above another.
  static func priority(above other: WorkPriority, of waiters: [Waiter]) -> WorkPriority? {
    var highest = other
    for waiter in waiters where waiter.priority > highest && !waiter.isResolved {
      highest = waiter.priority
    }
    return highest > other ? highest : nil
  }
}
