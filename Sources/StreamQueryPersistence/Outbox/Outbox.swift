public import StreamQuery

/// The outbox of a client: its waiting items, and actions on them.
///
/// ```swift
/// for await items in client.outbox.items {
///   show("\(items.count) changes wait to be sent")
/// }
/// ```
public struct Outbox: Sendable {
  let client: QueryClient

  private var engine: OutboxEngine? { client.durableRuns as? OutboxEngine }

  /// The items that wait at present, in the order in which they were started.
  ///
  /// - Complexity: O(*n* / 64) in the number of items, and O(1) for each change since the last read.
  public var currentItems: OutboxItems { engine?.items ?? OutboxItems() }

  /// The waiting items, now and after each change.
  ///
  /// A slow observer gets the newest state and may miss the states in between. The stream is for one
  /// observer, and ends when it is cancelled or the client is shut down. If the client's account ends, see
  /// ``QueryAccount/end()``, it delivers an empty list before it ends.
  public var items: AsyncStream<OutboxItems> {
    guard let engine else { return AsyncStream { nil } }
    let (seen, shownEmpty) = (LastSeen<UInt64>(), LastSeen<Bool>())
    let erasure = client.erasure
    return client.stream(of: engine.news, "items of the outbox") { [weak engine] in
      // After the account's end, the list is emptied even if the client no longer exists.
      if erasure.hasBegun { return shownEmpty.changed(to: true) ? OutboxItems() : nil }
      guard let engine, seen.changed(to: engine.version) else { return nil }
      let items = engine.items
      _ = shownEmpty.changed(to: items.isEmpty)
      return items
    }
  }

  /// Registers a durable mutation, and begins to send its items of earlier processes.
  ///
  /// These runs have the callbacks and the optimistic changes of the registered mutation. Registering a key
  /// again replaces the mutation for runs that begin later. The client retains the mutation for as long as it
  /// lives: use ``/StreamQuery/MutationContext/client`` in its work.
  ///
  /// - Parameter mutation: The mutation.
  public func register<Input, Output>(_ mutation: Mutation<Input, Output>) {
    engine?.register(mutation.identity, mutation.definition)
  }

  /// Sends an item now, even if it is stopped by a failure, or waits for its next attempt or its delay.
  ///
  /// The call does nothing if an earlier item of the scope comes first, or if the input cannot be decoded.
  ///
  /// - Parameter id: The item.
  /// - Returns: Whether the item was waiting in one of these ways, and goes on now.
  @discardableResult
  public func retry(_ id: OutboxItem.ID) -> Bool {
    engine?.retry(RunIdentity(id)) ?? false
  }

  /// Removes an item: its run is cancelled, its changes are rolled back, and its record is removed.
  ///
  /// If the item is being sent and its work returns nevertheless, the run counts as succeeded. Cancelling the
  /// caller ends only its wait. A call in the run's own work or callbacks does not wait, because the record
  /// is removed after them.
  ///
  /// - Parameter id: The item.
  /// - Throws: ``OutboxError/noSuchItem``; ``OutboxError/unwritable(_:)`` if the store can never remove the
  ///   record; ``/StreamQuery/QueryError/shutDown`` if the client is shut down before the store has removed
  ///   it, so that the next client may send the item; `CancellationError` if the caller is cancelled.
  public func drop(_ id: OutboxItem.ID) async throws {
    guard let engine else { throw OutboxError.noSuchItem }
    try await engine.drop(RunIdentity(id))
  }

  /// Gives an item another input and another idempotency key, and sends the item when its turn comes.
  ///
  /// The call returns when the store has the new input. Cancelling the caller ends only its wait.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - input: The input, of the type of the item's mutation.
  /// - Throws: ``OutboxError/noSuchItem``; ``OutboxError/otherInput(mutation:)``;
  ///   ``OutboxError/sending``; ``OutboxError/notEncodable(mutation:reason:)``, with nothing
  ///   changed; ``OutboxError/unwritable(_:)``; ``/StreamQuery/QueryError/shutDown``;
  ///   `CancellationError`.
  public func rebase<Input: Sendable>(_ id: OutboxItem.ID, with input: Input) async throws {
    guard let engine else { throw OutboxError.noSuchItem }
    try await engine.rebase(RunIdentity(id), with: input)
  }
}
