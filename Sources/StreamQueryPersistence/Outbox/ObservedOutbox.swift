public import Observation
@_spi(Adapters) public import StreamQuery

/// The items that wait to be sent, as an observable object: for a badge, a list, or a question to the user.
///
/// ```swift
/// let outbox = ObservedOutbox(client: client)
/// show(outbox.count)                                  // a badge
/// if let item = outbox.stopped.first { outbox.retry(item.id) }
/// ```
///
/// The object shows the waiting items in its first frame, and then the newest state, until it is released.
/// Each property is tracked by itself: a view that reads only ``count`` is not drawn again for the steps of
/// an item. After the end of the client's account, the object is empty.
@MainActor @Observable
public final class ObservedOutbox {
  /// The items that wait or are being sent, in the order in which they were started.
  public private(set) var items: OutboxItems
  /// The number of items.
  public private(set) var count: Int
  /// The failed items that wait for the app: ``retry(_:)``, ``rebase(_:with:)`` or ``drop(_:)``.
  public private(set) var stopped: [OutboxItem]

  /// A function in which arriving changes are applied, such as one that animates them; `nil` calls none.
  @ObservationIgnored public var changeContext: (@MainActor (_ change: () -> Void) -> Void)?

  @ObservationIgnored private let client: QueryClient
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var erasure: ErasureHandler?

  /// Creates an object that shows the waiting items of a client's outbox.
  ///
  /// - Parameter client: The client; if it has no outbox, the object stays empty.
  public init(client: QueryClient) {
    self.client = client
    let items = client.isErased ? OutboxItems() : client.outbox.currentItems
    self.items = items
    count = items.count
    stopped = items.stopped
    // The reference is weak, because the client retains this closure until its data is erased.
    erasure = client.whenErased { [weak self] in await self?.clear() }
    guard erasure != nil else {
      clear()
      return
    }
    let changes = client.outbox.items
    // The task has no executor preference, because it runs on the main actor.
    following = Task { [weak self] in
      for await items in changes {
        guard let self, !Task.isCancelled else { return }
        arrived(items)
      }
      if !Task.isCancelled { self?.streamEnded() }
    }
  }

  deinit {
    following?.cancel()
  }

  /// Whether no item waits or is being sent.
  public var isEmpty: Bool { count == 0 }

  /// Sends an item now, even if it is stopped by a failure, or waits for its next attempt or its delay.
  ///
  /// - Parameter id: The item.
  public func retry(_ id: OutboxItem.ID) {
    client.outbox.retry(id)
  }

  /// Removes an item, as an undo button does, and returns before the store has removed it.
  ///
  /// - Parameter id: The item; nothing happens if it is gone already.
  public func drop(_ id: OutboxItem.ID) {
    let outbox = client.outbox
    // The task has no executor preference: it begins on the main actor, so that the change shows at once.
    Task { try? await outbox.drop(id) }
  }

  /// Gives an item another input, and sends the item when its turn in its scope comes.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - input: The input, of the type of the item's mutation.
  /// - Throws: The errors of ``Outbox/rebase(_:with:)``.
  public func rebase<Input: Sendable>(_ id: OutboxItem.ID, with input: Input) async throws {
    try await client.outbox.rebase(id, with: input)
  }

  /// Stops following the outbox and shows no items, because the account has ended.
  private func clear() {
    following?.cancel()
    following = nil
    take(OutboxItems())
  }

  /// Shows the last items, because the stream may end with the client before it delivers the last change.
  private func streamEnded() {
    let items = client.outbox.currentItems
    if !items.isEmpty || _count > 0 { arrived(items) }
  }

  private func arrived(_ items: OutboxItems) {
    // The account may have ended after these items were read.
    guard !client.isErased else { return clear() }
    if let changeContext { changeContext { take(items) } } else { take(items) }
  }

  private func take(_ items: OutboxItems) {
    // `_count` and `_stopped` are compared, because reads of the underscored properties are not tracked.
    // Otherwise a view that causes this call would depend on `count` and `stopped`.
    let stopped = items.stopped
    if _count != items.count { count = items.count }
    if _stopped.map(\.id) != stopped.map(\.id) || !stopped.isEmpty { self.stopped = stopped }
    self.items = items
  }
}
