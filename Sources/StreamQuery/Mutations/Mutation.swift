/// A change of server state: a key, the work that makes the change, and callbacks.
///
/// A mutation is a plain value: making one does nothing. Each
/// ``QueryClient/mutate(_:with:detached:)`` is a separate run, which goes through `onMutate`, the
/// work with its retries, `onSuccess` or `onError`, and `onSettled`. The client awaits each of
/// them, and the caller gets the output after the last one.
///
/// ```swift
/// extension Mutation where Input == Rename, Output == User {
///   static func rename(api: API = .live) -> Self {
///     Mutation("rename-user") { try await api.rename($0) }
///       .optimistic { input, changes in
///         changes.update(.user(input.id)) { $0?.name = input.name }
///       }
///       .onSuccess { user, context in await context.client.invalidate(.prefix("users")) }
///       .scope("user-writes")
///   }
/// }
///
/// let user = try await client.mutate(.rename(), with: Rename(id: 42, name: "Ada"))
/// ```
///
/// The work and all callbacks see the task-locals and have the priority of the caller that started the run,
/// however long the run waits and whatever resumes it: <doc:Networking#Task-locals-and-priority>.
///
/// Nothing is invalidated automatically: do that in a callback. The key names the mutation for
/// ``QueryClient/runs(of:)``, filters, defaults and events; it does not make runs share anything.
public struct Mutation<Input: Sendable, Output: Sendable>: Sendable, _FreeOfActors {
  /// The name of the mutation.
  public let key: AnyQueryKey

  package let definition: MutationDefinition

  init(key: AnyQueryKey, definition: MutationDefinition) {
    self.key = key
    self.definition = definition
  }

  /// The options that were set on this mutation.
  public var options: MutationOptions { definition.options }

  /// The identity of the mutation for its runs: the parts of the key and the types.
  package var identity: EntryKey { EntryKey(key, valueType: Self.self) }

  /// Creates a mutation from the parts of its key and its work.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order; without any, all such mutations of these types share
  ///     the empty key.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - perform: Makes the change; its task is cancelled when the run is.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(repeat each part, fields: fields), perform: perform)
  }

  /// Creates a mutation from the parts of its key and work that gets its context.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - perform: Makes the change; its task is cancelled when the run is.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    perform: @escaping @Sendable @concurrent (Input, MutationContext) async throws -> Output
  ) {
    self.init(key: AnyQueryKey(repeat each part, fields: fields), perform: perform)
  }

  /// Creates a mutation from a key and its work.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - perform: Makes the change; its task is cancelled when the run is.
  public init(
    key: AnyQueryKey,
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) {
    self.init(
      key: key,
      erased: { input, _ in TypedBox(try await perform(input.value(as: Input.self))) }
    )
  }

  /// Creates a mutation from a key and work that gets its context.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - perform: Makes the change; its task is cancelled when the run is.
  public init(
    key: AnyQueryKey,
    perform: @escaping @Sendable @concurrent (Input, MutationContext) async throws -> Output
  ) {
    self.init(
      key: key,
      erased: { input, context in
        TypedBox(try await perform(input.value(as: Input.self), context))
      }
    )
  }

  /// Creates a mutation that leaves its work to the defaults of its key.
  ///
  /// Without a default for it, runs fail with ``QueryError/missingPerform(key:)``.
  ///
  /// - Parameter key: The key.
  public init(key: AnyQueryKey) {
    self.init(key: key, erased: nil)
  }

  private init(key: AnyQueryKey, erased perform: MutationDefinition.Perform?) {
    self.init(
      key: key,
      definition: MutationDefinition(
        perform: perform,
        box: { ($0 as? Output).map(TypedBox.init) },
        outputTypeName: { String(reflecting: Output.self) }
      )
    )
  }
}

extension Mutation where Input == Void {
  /// Creates a mutation without input from the parts of its key and its work.
  ///
  /// - Parameters:
  ///   - part: The parts of the key, in order.
  ///   - fields: Fields in any order, as the key's last part.
  ///   - perform: Makes the change; its task is cancelled when the run is.
  public init<each Part: Hashable & Sendable>(
    _ part: repeat each Part,
    fields: KeyRecord = [:],
    perform: @escaping @Sendable @concurrent () async throws -> Output
  ) {
    self.init(key: AnyQueryKey(repeat each part, fields: fields)) { _ in try await perform() }
  }
}
