#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the work of a mutation is told.
///
/// There is no abort signal: the work runs in a task, and that task is cancelled.
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
  /// The number of attempts that failed before this one: 0 at first.
  public let attempt: Int
  /// Identifies this run among all others, so that a server does its work only once.
  ///
  /// All attempts of a run have the same key, even after a pause, and even after an archive has
  /// carried the run into another process, however often that archive is imported. No two runs
  /// share a key. It is made with the client's ``QueryClient/Configuration/randomness``.
  public let idempotencyKey: UUID
  /// Facts that the mutation carries.
  public let meta: QueryMeta

  let carriedClient: any CarriedClient
  let saved: SavedValues

  /// Returns what an `onMutate` of this run returned.
  ///
  /// - Parameter type: The type that it returned.
  /// - Returns: The value; `nil` if none of that type was returned.
  public func saved<Saved: Sendable>(as type: Saved.Type) -> Saved? { saved[type] }
}
