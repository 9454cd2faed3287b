/// Something that is done when a client is erased, for as long as this is retained.
///
/// See ``QueryClient/whenErased(_:)``.
public final class ErasureHandler: Sendable {
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
  public nonisolated var isErased: Bool { erasure.hasBegun }

  /// Does something when the client is erased: for adapters, which have to forget what they show.
  ///
  /// All of these are done at once, one after the other, and the end of an account
  /// (`QueryScope.end()`) returns when they are done.
  ///
  /// ```swift
  /// let handler = client.whenErased { logger.debug("the account has ended") }
  /// ```
  ///
  /// - Parameter action: What to do. Like all that the client retains, it must not retain the client.
  /// - Returns: Keep it for as long as this should be done; `nil` if the client was erased already,
  ///   see ``isErased``.
  public nonisolated func whenErased(
    _ action: @escaping @Sendable () async -> Void
  ) -> ErasureHandler? {
    erasure.add(action).map { ErasureHandler(erasure, $0) }
  }
}
