#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a callback of a mutation is told about its run.
///
/// ```swift
/// Mutation.rename().onError { error, context in
///   guard let users = context.saved(as: [User].self) else { return }
///   context.client.setData(users, for: .users)
/// }
/// ```
public struct MutationRunContext<Input: Sendable>: Sendable, _FreeOfActors {
  let facts: MutationCallbacks.Facts

  /// The mutation's key.
  public var key: AnyQueryKey { facts.job.key.key }
  /// What the mutation was started with.
  public var input: Input { facts.job.input.value(as: Input.self) }
  /// Identifies this run, see ``MutationContext/idempotencyKey``.
  public var idempotencyKey: UUID { facts.job.requestIdentity.uuid }
  /// Facts that the mutation carries.
  public var meta: QueryMeta { facts.job.meta }
  /// When the run was started.
  public var submittedAt: Date {
    Date(timeIntervalSinceReferenceDate: facts.job.submittedAt.date)
  }

  /// Returns what an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type was returned.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { facts.job.saved[type] }
}
