internal import StreamQuery

/// A fetch that follows a script of the test, and keeps a log of its calls.
///
/// The first call follows the first step, the second call the second step, and so on; the last step repeats.
/// In an empty script every call waits until it is cancelled. Copies share one script and one log.
///
/// ```swift
/// let fetch = ScriptedFetch<User>(.value(ada, after: .milliseconds(30)), .failure(Offline()))
/// let user = try simulation.run { try await fetch() }        // ada, 30 ms later
/// #expect(fetch.calls.map(\.outcome) == [.value])
/// ```
///
/// A call waits on `Scheduling.current.clock`, which simulations and clients set for their tasks. A cancelled
/// call throws `CancellationError` at once, unless its step ignores cancellation.
public struct ScriptedFetch<Value: Sendable>: Sendable {
  /// The behaviour of one call.
  public struct Step: Sendable {
    let erased: ScriptStep

    init(_ action: ScriptStep.Action, ignoresCancellation: Bool) {
      erased = ScriptStep(action: action, ignoresCancellation: ignoresCancellation)
    }

    /// The call returns a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - delay: The time that the call takes; with zero or less it returns at once, without yielding.
    ///   - ignoringCancellation: Whether a cancelled call nevertheless takes its time and returns the value.
    /// - Returns: The step.
    public static func value(
      _ value: Value,
      after delay: Duration = .zero,
      ignoringCancellation: Bool = false
    ) -> Self {
      Self(.value(TypedBox(value), after: delay), ignoresCancellation: ignoringCancellation)
    }

    /// The call throws an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - delay: The time that the call takes; with zero or less it throws at once, without yielding.
    ///   - ignoringCancellation: Whether a cancelled call takes its time and throws `error`.
    /// - Returns: The step.
    public static func failure(
      _ error: any Error,
      after delay: Duration = .zero,
      ignoringCancellation: Bool = false
    ) -> Self {
      Self(.failure(error, after: delay), ignoresCancellation: ignoringCancellation)
    }

    /// The call waits until it is cancelled.
    public static var never: Self {
      Self(.wait(isReleasable: false), ignoresCancellation: false)
    }

    /// The call waits until the test calls `release(returning:)` or `release(throwing:)`.
    public static var suspended: Self { suspended() }

    /// The call waits until the test calls `release(returning:)` or `release(throwing:)`.
    ///
    /// - Parameter ignoringCancellation: Whether a cancelled call continues to wait; such a call
    ///   must be released, or its task is never freed.
    /// - Returns: The step.
    public static func suspended(ignoringCancellation: Bool = false) -> Self {
      Self(.wait(isReleasable: true), ignoresCancellation: ignoringCancellation)
    }
  }

  /// A call in the log of a scripted fetch.
  public struct Call: Hashable, Sendable {
    /// The way in which a call ended.
    public enum Outcome: Hashable, Sendable {
      /// The call returned a value.
      case value
      /// The call threw the error of its step.
      case failure
      /// The call was cancelled and threw `CancellationError`.
      case cancelled
    }

    /// The time when the call began: the virtual time, or on another clock the time since the first call.
    public let start: Duration
    /// The time when the call ended, measured as `start` is; `nil` while the call runs.
    public internal(set) var end: Duration?
    /// The way in which the call ended; `nil` while it runs.
    public internal(set) var outcome: Outcome?
  }

  /// The log has only values of the type `Value`, because only typed steps and releases add values to it.
  private let log: ScriptLog

  /// Creates a scripted fetch.
  ///
  /// - Parameter steps: The steps of the calls, one after the other; the last one repeats.
  public init(_ steps: Step...) {
    self.init(steps)
  }

  /// Creates a scripted fetch.
  ///
  /// - Parameter steps: The steps of the calls, one after the other; the last one repeats.
  public init(_ steps: [Step]) {
    log = ScriptLog(steps: steps.map { $0.erased })
  }

  /// The calls so far, in the order in which they began.
  public var calls: [Call] {
    log.calls.map { call in
      let outcome: Call.Outcome? =
        switch call.outcome {
        case .value: .value
        case .failure: .failure
        case .cancelled: .cancelled
        case nil: nil
        }
      return Call(start: call.start, end: call.end, outcome: outcome)
    }
  }

  /// The number of calls that have begun.
  public var callCount: Int { log.calls.count }

  /// The number of calls that have begun and not ended.
  public var runningCount: Int { log.calls.count { $0.end == nil } }

  /// The number of calls that wait at a `.suspended` step.
  public var suspendedCount: Int { log.suspendedCount }

  /// Makes the call that has been suspended longest return a value.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether a call was suspended; if not, nothing happens.
  @discardableResult
  public func release(returning value: Value) -> Bool {
    log.release(.success(TypedBox(value)))
  }

  /// Makes the call that has been suspended longest throw an error.
  ///
  /// - Parameter error: The error.
  /// - Returns: Whether a call was suspended; if not, nothing happens.
  @discardableResult
  public func release(throwing error: any Error) -> Bool {
    log.release(.failure(error))
  }

  /// Makes a call, which follows the next step of the script.
  ///
  /// - Returns: The step's value.
  /// - Throws: The step's error, or `CancellationError` at once when the task is cancelled.
  public func callAsFunction() async throws -> Value {
    try await log.play().value(as: Value.self)
  }

  /// Makes a call, and returns its value in a box.
  ///
  /// The box is new for each call, even if a step repeats, because to the cache the same box means the same
  /// data.
  func box() async throws -> ValueBox {
    TypedBox(try await callAsFunction())
  }
}
