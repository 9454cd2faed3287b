import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the work of a mutation is told.
///
/// There is no abort signal: the work runs in a task, and that task is cancelled.
public struct MutationContext: Sendable {
  /// The client that runs the mutation.
  public let client: QueryClient
  /// The mutation's key.
  public let key: AnyQueryKey
  /// Failed attempts before this one: 0 at first.
  public let attempt: Int
  /// Facts that the mutation carries.
  public let meta: QueryMeta

  let saved: SavedValues

  /// What an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type was returned.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { saved[type] }
}

/// What a callback of a mutation is told about its run.
///
/// ```swift
/// Mutation.rename().onError { error, context in
///   guard let users = context.saved(as: [User].self) else { return }
///   context.client.setData(users, for: .users)
/// }
/// ```
public struct MutationRunContext<Input: Sendable>: Sendable {
  let facts: MutationFacts

  /// The client that runs the mutation.
  public var client: QueryClient { facts.client }
  /// The mutation's key.
  public var key: AnyQueryKey { facts.job.plan.key.key }
  /// What the mutation was started with.
  public var input: Input { facts.job.input.value(as: Input.self) }
  /// Facts that the mutation carries.
  public var meta: QueryMeta { facts.job.plan.meta }
  /// When the run was started.
  public var submittedAt: Date {
    Date(timeIntervalSinceReferenceDate: facts.job.submittedAt.date)
  }

  /// What an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type was returned.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { facts.job.saved[type] }
}

/// ``MutationRunContext`` without the input's type.
struct MutationFacts: Sendable {
  let client: QueryClient
  let job: MutationJob
}

/// What the `onMutate` callbacks of a run returned, by type: the last of a type holds.
final class SavedValues: Sendable {
  private let values = Mutex<[any Sendable]>([])

  func append(_ value: any Sendable) {
    if value is Void { return }
    values.withLock { $0.append(value) }
  }

  subscript<Saved: Sendable>(type: Saved.Type) -> Saved? {
    // Copied out: a cast may run user code.
    values.withLock { $0 }.reversed().lazy.compactMap { $0 as? Saved }.first
  }
}
