#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The context of one attempt of a mutation's work.
///
/// There is no abort signal: a cancellation of the run cancels the task in which the work runs.
///
/// ```swift
/// let pay = Mutation<Int, Void>("pay") { amount, context in
///   let headers = ["Idempotency-Key": context.idempotencyKey.uuidString]
///   try await api.pay(amount, headers: headers)
/// }
/// ```
public struct MutationContext: Sendable, _FreeOfActors {
  /// The mutation's key.
  public let key: AnyQueryKey
  /// The number of attempts that failed before this one in this process: 0 at first.
  public let attempt: Int
  /// The identity of this run among all others, so that a server performs the run only once.
  ///
  /// All attempts of a run have the same key, even after a pause, and even after an archive has
  /// carried the run into another process, however often that archive is imported. Only a rebase, which
  /// makes another request, gives the run another key. No two runs share a key. The client's
  /// ``QueryClient/Configuration/randomness`` makes the key.
  public let idempotencyKey: UUID
  /// The metadata that the mutation was given with its `meta` option.
  public let meta: QueryMeta

  let carriedClient: any CarriedClient
  let saved: SavedValues

  /// Returns the value that an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if there is none of that type.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { saved[type] }
}

/// The context of a callback of a mutation.
///
/// ```swift
/// Mutation.rename().onError { error, context in
///   guard let users = context.saved(as: [User].self) else { return }
///   context.client.setData(users, for: .users)
/// }
/// ```
public struct MutationCallbackContext<Input: Sendable>: Sendable, _FreeOfActors {
  let facts: MutationCallbacks.Facts

  /// The mutation's key.
  public var key: AnyQueryKey { facts.job.key.key }
  /// The input with which the run was started, unless an outbox has replaced it.
  public var input: Input { facts.job.input.value(as: Input.self) }
  /// The identity of this run, see ``MutationContext/idempotencyKey``.
  public var idempotencyKey: UUID { facts.job.requestIdentity.uuid }
  /// The metadata that the mutation was given with its `meta` option.
  public var meta: QueryMeta { facts.job.meta }
  /// The date when the run was started.
  public var submittedAt: Date {
    Date(timeIntervalSinceReferenceDate: facts.job.submittedAt.date)
  }

  /// Returns the value that an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if there is none of that type.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { facts.job.saved[type] }
}

/// The values that the `onMutate` callbacks of a run returned, by type: the last value of a type
/// wins.
struct SavedValues: Sendable {
  /// The values in the order in which they were returned.
  var values: [any Sendable] = []

  subscript<Saved: Sendable>(type: Saved.Type) -> Saved? {
    values.reversed().lazy.compactMap { $0 as? Saved }.first
  }
}
