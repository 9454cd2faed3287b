#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One snapshot of a run of a mutation, or of the absence of a run.
///
/// The snapshot does not change with the run: a value that `onMutate` returns later is in later snapshots.
///
/// ```swift
/// for await run in client.runs(of: .rename()) {
///   show(run.isPaused ? "Waiting for the network" : run.input?.name)
/// }
/// ```
public struct MutationRun<Input: Sendable, Output: Sendable>: Sendable, _FreeOfActors {
  let snapshot: MutationSnapshot?

  /// The snapshot that stands for no run.
  public static var idle: Self { Self(snapshot: nil) }

  /// Whether there is a run, whether it goes on, and how it ended.
  public var status: MutationStatus { snapshot?.status ?? .idle }

  /// Whether the run waits for its scope, the network or the app.
  public var isPaused: Bool { snapshot?.isPaused ?? false }

  /// The input with which the run was started, unless an outbox has replaced it; `nil` if there is no run.
  public var input: Input? { snapshot?.input.value(as: Input.self) }

  /// The output of the work; `nil` until the run has succeeded.
  public var output: Output? { snapshot?.output?.value(as: Output.self) }

  /// The error of the run; `nil` until it has failed.
  public var error: (any Error)? { snapshot?.error?.error }

  /// The number of failed attempts so far; 0 after a success.
  public var failureCount: Int { snapshot?.failureCount ?? 0 }

  /// The error of the newest failed attempt; `nil` if none has failed, and after a success.
  public var failureReason: (any Error)? { snapshot?.failureReason?.error }

  /// The date when the run was started.
  public var submittedAt: Date? {
    snapshot.map { Date(timeIntervalSinceReferenceDate: $0.job.submittedAt.date) }
  }

  /// The identity of the run, see ``MutationContext/idempotencyKey``; `nil` if there is no run.
  public var idempotencyKey: UUID? { snapshot?.requestIdentity.uuid }

  /// The scope of the run.
  public var scope: String? { snapshot?.job.scope }

  /// Returns the value that an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if there is none of that type so far.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { snapshot?.saved[type] }

  /// Whether both snapshots show the same state of the same run, or both show no run.
  ///
  /// - Parameter other: Another snapshot, of any client.
  /// - Returns: Whether nothing differs.
  @_spi(Adapters) public func isSame(as other: Self) -> Bool {
    guard let snapshot, let other = other.snapshot else {
      return snapshot == nil && other.snapshot == nil
    }
    return snapshot.isSame(as: other)
  }

  /// Whether there is no run: none was started, or it was reset, cancelled, or forgotten after its end.
  public var isIdle: Bool { status == .idle }

  /// Whether the run has not ended.
  public var isPending: Bool { status == .pending }

  /// Whether the run ended with an output.
  public var isSuccess: Bool { status == .success }

  /// Whether the run failed.
  public var isError: Bool { status == .error }
}

/// The facts that the client has about one run, without its types.
///
/// This is a snapshot: it does not change with the run.
public struct MutationInfo: Sendable, _FreeOfActors {
  let snapshot: MutationSnapshot

  /// The mutation's key.
  public var key: AnyQueryKey { snapshot.key.key }

  /// The run's number: the runs of a client are numbered in the order in which they were started.
  public var number: UInt64 { snapshot.id.serial }

  /// Whether the run goes on, and how it ended.
  public var status: MutationStatus { snapshot.status }

  /// Whether the run waits for its scope, the network or the app.
  public var isPaused: Bool { snapshot.isPaused }

  /// The input with which the run was started, unless an outbox has replaced it.
  public var input: any Sendable { snapshot.input.erased }

  /// The output of the work.
  public var output: (any Sendable)? { snapshot.output?.erased }

  /// The error of the run.
  public var error: (any Error)? { snapshot.error?.error }

  /// The number of failed attempts so far; 0 after a success.
  public var failureCount: Int { snapshot.failureCount }

  /// The error of the newest failed attempt; `nil` if none has failed, and after a success.
  public var failureReason: (any Error)? { snapshot.failureReason?.error }

  /// The date when the run was started.
  public var submittedAt: Date {
    Date(timeIntervalSinceReferenceDate: snapshot.job.submittedAt.date)
  }

  /// The identity of the run among all others, in other processes too: see
  /// ``MutationContext/idempotencyKey``.
  public var idempotencyKey: UUID { snapshot.requestIdentity.uuid }

  /// The scope of the run.
  public var scope: String? { snapshot.job.scope }

  /// The metadata that the mutation was given with its `meta` option.
  public var meta: QueryMeta { snapshot.job.meta }

  /// Returns the run with its types, if it belongs to a mutation.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The run; `nil` if it has another key or other types.
  public func run<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> MutationRun<Input, Output>? {
    snapshot.key == mutation.identity ? MutationRun(snapshot: snapshot) : nil
  }

  /// Whether both snapshots show the same state of the same run.
  ///
  /// - Parameter other: Another snapshot, of any client.
  /// - Returns: Whether nothing differs.
  @_spi(Adapters) public func isSame(as other: Self) -> Bool {
    snapshot.isSame(as: other.snapshot)
  }
}

/// The status of a run of a mutation.
public enum MutationStatus: String, Hashable, Codable, Sendable {
  /// There is no run.
  case idle
  /// The run performs, waits or is paused, or its callbacks run.
  case pending
  /// The run returned an output.
  case success
  /// The run failed.
  case error
}
