#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the client knows about one run, whatever its types.
///
/// It is a snapshot: it does not change when the run does.
public struct MutationInfo: Sendable, _FreeOfActors {
  let snapshot: MutationSnapshot

  /// The mutation's key.
  public var key: AnyQueryKey { snapshot.key.key }

  /// The run's number: the runs of a client are numbered in the order in which they were started.
  public var number: UInt64 { snapshot.id.serial }

  /// What the run is doing, or how it ended.
  public var status: MutationStatus { snapshot.status }

  /// Whether the run waits for its scope, the network or the app.
  public var isPaused: Bool { snapshot.isPaused }

  /// What the run was started with.
  public var input: any Sendable { snapshot.input.erased }

  /// What the work returned.
  public var output: (any Sendable)? { snapshot.output?.erased }

  /// Why the run failed.
  public var error: (any Error)? { snapshot.error?.error }

  /// The number of failed attempts so far; 0 after a success.
  public var failureCount: Int { snapshot.failureCount }

  /// Why the newest attempt failed.
  public var failureReason: (any Error)? { snapshot.failureReason?.error }

  /// When the run was started.
  public var submittedAt: Date {
    Date(timeIntervalSinceReferenceDate: snapshot.job.submittedAt.date)
  }

  /// Identifies the run among all others, in other processes too: see
  /// ``MutationContext/idempotencyKey``.
  public var idempotencyKey: UUID { snapshot.requestIdentity.uuid }

  /// The scope that the run is in.
  public var scope: String? { snapshot.job.scope }

  /// Facts that the mutation carries.
  public var meta: QueryMeta { snapshot.job.meta }

  /// Returns the run with its types if it is a run of a mutation.
  ///
  /// - Parameter mutation: The mutation.
  /// - Returns: The run; `nil` if it has another key or other types.
  public func run<Input, Output>(
    of mutation: Mutation<Input, Output>
  ) -> MutationRun<Input, Output>? {
    snapshot.key == mutation.identity ? MutationRun(snapshot: snapshot) : nil
  }
}
