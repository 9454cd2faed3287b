#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One snapshot of a run of a mutation, or of there being none.
///
/// It does not change when the run does: what an `onMutate` returns later is in later snapshots.
///
/// ```swift
/// for await run in client.runs(of: .rename()) {
///   show(run.isPaused ? "Waiting for the network" : run.input?.name)
/// }
/// ```
public struct MutationRun<Input: Sendable, Output: Sendable>: Sendable, _FreeOfActors {
  let frame: MutationFrame?

  init(frame: MutationFrame?) {
    self.frame = frame
  }

  /// The snapshot of no run.
  public static var idle: Self { Self(frame: nil) }

  /// What the run is doing, or how it ended.
  public var status: MutationStatus { frame?.status ?? .idle }

  /// Whether the run waits for its lane, the network or the app.
  public var isPaused: Bool { frame?.isPaused ?? false }

  /// What the run was started with; `nil` without a run.
  public var input: Input? { frame?.job.input.value(as: Input.self) }

  /// What the work returned; `nil` before the run has ended with success.
  public var output: Output? { frame?.output?.value(as: Output.self) }

  /// Why the run failed; `nil` before it has ended, and after a success.
  public var error: (any Error)? { frame?.error?.error }

  /// Failed attempts so far; 0 after a success.
  public var failureCount: Int { frame?.failureCount ?? 0 }

  /// Why the newest attempt failed.
  public var failureReason: (any Error)? { frame?.failureReason?.error }

  /// When the run was started.
  public var submittedAt: Date? {
    frame.map { Date(timeIntervalSinceReferenceDate: $0.job.submittedAt.date) }
  }

  /// What tells the run from every other, see ``MutationContext/idempotencyKey``; `nil` without a run.
  public var idempotencyKey: UUID? { frame?.job.identity.uuid }

  /// The lane that the run is in.
  public var scope: String? { frame?.job.scope }

  /// What an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type was returned so far.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { frame?.saved[type] }

  /// There is no run: none was started, or the last one was reset or cancelled.
  public var isIdle: Bool { status == .idle }

  /// The run is not over.
  public var isPending: Bool { status == .pending }

  /// The run ended with an output.
  public var isSuccess: Bool { status == .success }

  /// The run failed.
  public var isError: Bool { status == .error }
}
