import Synchronization

/// An action that is performed when a client is erased, as long as this object is retained.
///
/// See `client.whenErased(_:)`.
@_spi(Adapters) public final class ErasureHandler: Sendable {
  private let erasure: ClientErasure
  private let number: Int

  fileprivate init(_ erasure: ClientErasure, _ number: Int) {
    self.erasure = erasure
    self.number = number
  }

  deinit {
    erasure.remove(number)
  }
}

nonisolated extension QueryClient {
  /// Whether the account of the client has ended, so that the client has forgotten everything.
  ///
  /// Such a client shows nothing, like a client that was shut down. Adapters that store values they
  /// have shown check this before they show them again.
  @_spi(Adapters) public nonisolated var isErased: Bool { erasure.hasBegun }

  /// Performs an action when the client is erased: for adapters, because they have to forget values.
  ///
  /// The actions run one after the other, and the end of an account (`QueryAccount.end()`) returns
  /// when they are done.
  ///
  /// ```swift
  /// let handler = client.whenErased { logger.debug("the account has ended") }
  /// ```
  ///
  /// - Parameter action: The action. Like all that the client retains, it must not retain the client.
  /// - Returns: The handler, to be retained as long as the action should be performed; `nil` if the
  ///   client was erased already, see `isErased`.
  @_spi(Adapters) public nonisolated func whenErased(
    _ action: @escaping @Sendable () async -> Void
  ) -> ErasureHandler? {
    erasure.addAction(action).map { ErasureHandler(erasure, $0) }
  }
}

/// The erasure of a client: whether it has begun, and the actions to perform then.
package final class ClientErasure: Sendable {
  private let handlers = EndHandlers<@Sendable () async -> Void>()
  private let isBegun = Atomic(false)

  /// Whether the client was erased.
  package var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

  func markBegun() {
    handlers.close()
    isBegun.store(true, ordering: .releasing)
  }

  /// Stores an action.
  ///
  /// - Returns: Its number; `nil` if the client was erased already, and the action is not stored.
  func addAction(_ action: @escaping @Sendable () async -> Void) -> Int? { handlers.add(action) }

  func remove(_ number: Int) { handlers.remove(number) }

  /// Performs the stored actions in order.
  func performActions() async {
    for action in handlers.takeAll() { await action() }
  }

  /// Drops all actions, because the client is gone.
  func cancel() { _ = handlers.takeAll() }
}
