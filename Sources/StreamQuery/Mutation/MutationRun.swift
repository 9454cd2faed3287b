#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One snapshot of a run of a mutation, or of the absence of a run.
///
/// It does not change when the run does: a value that `onMutate` returns later is in later
/// snapshots.
///
/// ```swift
/// for await run in client.runs(of: .rename()) {
///   show(run.isPaused ? "Waiting for the network" : run.input?.name)
/// }
/// ```
public struct MutationRun<Input: Sendable, Output: Sendable>: Sendable, _FreeOfActors {
  let snapshot: MutationSnapshot?

  init(snapshot: MutationSnapshot?) {
    self.snapshot = snapshot
  }

  /// The snapshot that stands for no run.
  public static var idle: Self { Self(snapshot: nil) }

  /// What the run is doing, or how it ended.
  public var status: MutationStatus { snapshot?.status ?? .idle }

  /// Whether the run waits for its scope, the network or the app.
  public var isPaused: Bool { snapshot?.isPaused ?? false }

  /// What the run was started with; `nil` if there is no run.
  public var input: Input? { snapshot?.input.value(as: Input.self) }

  /// What the work returned; `nil` until the run has succeeded.
  public var output: Output? { snapshot?.output?.value(as: Output.self) }

  /// Why the run failed; `nil` until it has failed.
  public var error: (any Error)? { snapshot?.error?.error }

  /// The number of failed attempts so far; 0 after a success.
  public var failureCount: Int { snapshot?.failureCount ?? 0 }

  /// Why the newest attempt failed.
  public var failureReason: (any Error)? { snapshot?.failureReason?.error }

  /// When the run was started.
  public var submittedAt: Date? {
    snapshot.map { Date(timeIntervalSinceReferenceDate: $0.job.submittedAt.date) }
  }

  /// Identifies the run, see ``MutationContext/idempotencyKey``; `nil` if there is no run.
  public var idempotencyKey: UUID? { snapshot?.requestIdentity.uuid }

  /// The scope that the run is in.
  public var scope: String? { snapshot?.job.scope }

  /// Returns what an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type has been returned so far.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { snapshot?.saved[type] }

  /// Whether both are the same snapshot; quick, and `false` may still mean that they look alike.
  ///
  /// - Parameter other: Another snapshot.
  /// - Returns: Whether nothing differs.
  public func isSame(as other: Self) -> Bool {
    snapshot?.version == other.snapshot?.version && idempotencyKey == other.idempotencyKey
  }

  /// Whether there is no run: none was started, or the last one was reset or cancelled.
  public var isIdle: Bool { status == .idle }

  /// Whether the run has not ended.
  public var isPending: Bool { status == .pending }

  /// Whether the run ended with an output.
  public var isSuccess: Bool { status == .success }

  /// Whether the run failed.
  public var isError: Bool { status == .error }
}
