public import StreamQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Mutation where Input: Codable {
  /// Keeps each run in the client's ``Outbox`` until it is sent, so that it survives the process.
  ///
  /// A run is written to the store after `onMutate` and before its first attempt. From then on it is sent at
  /// least once, no matter how often the process ends. All attempts with one input have the same
  /// ``/StreamQuery/MutationContext/idempotencyKey``, and follow all earlier runs of the scope. The run is
  /// over, and its record is removed, when it has succeeded, was cancelled or dropped, or has failed for
  /// good.
  ///
  /// ```swift
  /// extension Mutation where Input == Rename, Output == User {
  ///   static var keptRename: Self {
  ///     Mutation("rename-user") { input, context in
  ///       try await api.rename(input)
  ///     }
  ///     .scope("user-writes")
  ///     .durable()
  ///   }
  /// }
  /// ```
  ///
  /// After a restart, a mutation is found by its key, so data that varies from run to run belongs in the
  /// input. Durable mutations differ from others:
  ///
  /// - Failed attempts are retried until one succeeds. ``/StreamQuery/Mutation/retry(_:)-(RetryPolicy)``, the
  ///   defaults of the key, and ``onConflict(_:)`` change that. Name the errors for which another attempt is
  ///   of no use.
  /// - Cancelling the caller ends only its wait. ``/StreamQuery/QueryClient/cancelMutations(_:)``
  ///   and ``Outbox/drop(_:)`` end the run and remove the record. An attempt that throws
  ///   `CancellationError` by itself has failed like any other.
  /// - ``/StreamQuery/QueryClient/clear()`` does not end the runs, and
  ///   ``/StreamQuery/QueryClient/shutDown()`` leaves the records to the next client.
  /// - After a restart, callbacks and optimistic changes are those of the registered mutation. If its
  ///   `onMutate` throws then, the run does not end: the item stays, stopped, and an event reports the error.
  /// - If the mutation is not registered, its first run registers it, with all closures, for the life of the
  ///   client. So register it without closures that retain objects which must be released earlier.
  /// - The record is removed after the callbacks: if the process ends during them, the run is sent
  ///   again.
  ///
  /// - Parameters:
  ///   - version: The version of the input's encoded form; change it when you change the form.
  ///   - migrating: Makes an input from the bytes of another version, which are JSON. Without this closure,
  ///     and for the same version, the bytes are decoded as they are. If the closure throws, the item stays
  ///     in the outbox until the app decides.
  /// - Returns: The changed mutation.
  public func durable(
    version: String = "",
    migrating: (@Sendable (_ json: Data, _ version: String) throws -> Input)? = nil
  ) -> Self {
    changingPolicy { policy in
      policy.form = OutboxPolicy.Form(
        version: version,
        encode: { try ArchiveCoding.json.encode($0.value(as: Input.self)) },
        decode: { data, written in
          if let migrating, written != version { return TypedBox(try migrating(data, written)) }
          return TypedBox(try ArchiveCoding.json.decode(Input.self, from: data))
        },
        box: { ($0 as? Input).map(TypedBox.init) }
      )
    }
  }
}

extension Mutation {
  /// Not available: exists only so that the compiler's message says that the input must be `Codable`.
  ///
  /// - Parameters:
  ///   - version: The version of the input's encoded form.
  ///   - migrating: Makes an input from the bytes of another version.
  /// - Returns: The mutation.
  @_disfavoredOverload
  @available(*, unavailable, message: "the input is written to a store: make its type Codable")
  public func durable(
    version: String = "",
    migrating: (@Sendable (_ json: Data, _ version: String) throws -> Input)? = nil
  ) -> Self { self }
}

extension Mutation where Input == Void {
  /// Keeps each run in the client's ``Outbox`` until it is sent, so that it survives the process.
  ///
  /// - Returns: The changed mutation.
  public func durable() -> Self {
    changingPolicy { policy in
      policy.form = OutboxPolicy.Form(
        version: "",
        encode: { _ in Data() },
        decode: { _, _ in TypedBox(()) },
        box: { ($0 as? Void).map(TypedBox.init) }
      )
    }
  }
}

extension Mutation {
  /// Answers an error of a durable run that has no retries left, such as a conflict.
  ///
  /// The handler is called in the run's task, which waits for the answer; later runs of the same scope wait,
  /// too. Without a handler such a run fails.
  ///
  /// ```swift
  /// let mutation = Mutation<Rename, User>.rename().durable().onConflict { error, input, context in
  ///   error is AuthError ? .ask : .drop
  /// }
  /// ```
  ///
  /// With a handler, a failed attempt is not retried by itself, unless
  /// ``/StreamQuery/Mutation/retry(_:)-(RetryPolicy)`` says so: the handler answers each error. If there are
  /// several handlers, the last one is called.
  ///
  /// - Parameter body: Gets the error, the input, and the context of the work.
  /// - Returns: The changed mutation.
  public func onConflict(
    _ body:
      @escaping @Sendable (any Error, Input, MutationContext) async -> ConflictAnswer<Input>
  ) -> Self {
    changingPolicy { policy in
      policy.onConflict = { error, input, context in
        switch await body(error, input.value(as: Input.self), context) {
        case .retry: .retry
        case .rebase(let input): .rebase(TypedBox(input))
        case .drop: .drop
        case .ask: .ask
        }
      }
    }
  }

  /// Replaces temporary identifiers in waiting items of the outbox, once the server has given the real ones.
  ///
  /// In every waiting input, in the store and in memory, each string that is equal to a temporary identifier
  /// becomes the real one. This happens before the next run of the scope begins, in one write with the
  /// removal of this run's record. A running attempt keeps its input, but later attempts of the same run get
  /// the new one. Inputs are searched as JSON: an identifier must be encoded as a string by itself, as
  /// strings and UUIDs are. The client remembers the replaced identifiers for as long as it lives; the next
  /// process does not.
  ///
  /// ```swift
  /// let mutation = Mutation<String, User>("create") { temporaryID in .ada }
  ///   .durable()
  ///   .replacingIDs { temporaryID, user in [temporaryID: "\(user.id)"] }
  /// ```
  ///
  /// - Parameter ids: Gets the input and the output; returns the real identifier for each temporary one.
  /// - Returns: The changed mutation.
  public func replacingIDs(
    _ ids: @escaping @Sendable (Input, Output) -> [String: String]
  ) -> Self {
    changingPolicy { policy in
      policy.replacedIDs = { ids($0.value(as: Input.self), $1.value(as: Output.self)) }
    }
  }

  private func changingPolicy(_ change: (inout OutboxPolicy) -> Void) -> Self {
    var policy = definition.outboxPolicy
    change(&policy)
    return kept(by: policy)
  }
}
