import Synchronization

/// Something that is done when a client is erased, for as long as this is retained.
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

extension QueryClient {
  /// Whether the account that the client belonged to has ended, so that it has forgotten everything.
  ///
  /// It shows nothing any more, like a client that was shut down. Adapters that keep what they have
  /// shown look here before they show it again.
  @_spi(Adapters) public nonisolated var isErased: Bool { erasure.hasBegun }

  /// Does something when the client is erased: for adapters, which have to forget what they show.
  ///
  /// All of these are done at once, one after the other, and the end of an account
  /// (`QueryAccount.end()`) returns when they are done.
  ///
  /// ```swift
  /// let handler = client.whenErased { logger.debug("the account has ended") }
  /// ```
  ///
  /// - Parameter action: What to do. Like all that the client retains, it must not retain the client.
  /// - Returns: Keep it for as long as this should be done; `nil` if the client was erased already,
  ///   see `isErased`.
  @_spi(Adapters) public nonisolated func whenErased(
    _ action: @escaping @Sendable () async -> Void
  ) -> ErasureHandler? {
    erasure.add(action).map { ErasureHandler(erasure, $0) }
  }
}

/// Whether a client was erased, and who has to forget what it has shown.
package final class ClientErasure: Sendable {
  private struct State {
    var actions: [Int: @Sendable () async -> Void] = [:]
    var lastNumber = 0
    var hasBegun = false
  }

  private let state = Mutex(State())
  private let isBegun = Atomic(false)

  /// Whether the client was erased.
  package var hasBegun: Bool { isBegun.load(ordering: .acquiring) }

  func begin() {
    state.withLock { $0.hasBegun = true }
    isBegun.store(true, ordering: .releasing)
  }

  /// Stores what is to be done.
  ///
  /// - Returns: Its number; `nil` if the client was erased before, and nothing is stored.
  func add(_ action: @escaping @Sendable () async -> Void) -> Int? {
    state.withLock { state in
      guard !state.hasBegun else { return nil }
      state.lastNumber += 1
      state.actions[state.lastNumber] = action
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    // Returned, so that what it holds is released outside the lock.
    _ = state.withLock { $0.actions.removeValue(forKey: number) }
  }

  /// Does what was stored, in that order.
  func finish() async {
    for (_, action) in takeActions().sorted(by: { $0.key < $1.key }) { await action() }
  }

  /// The client is gone: nothing will have to be done.
  func cancel() {
    let actions = takeActions()
    withExtendedLifetime(actions) {}
  }

  private func takeActions() -> [Int: @Sendable () async -> Void] {
    state.withLock { state in
      defer { state.actions = [:] }
      return state.actions
    }
  }
}
