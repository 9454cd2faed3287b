@_spi(Adapters) public import StreamQuery

/// An account or tenant that is open: its own client, and its own part of each store.
///
/// ```swift
/// let account = try await accounts.open("user-42")
/// let orders = try await account.client.fetch(.users)
/// show(orders)
/// try await account.end()                             // at logout
/// ```
///
/// All copies are the same account.
public struct QueryAccount: Sendable, Identifiable {
  /// The name with which it was opened.
  public let name: String
  /// The client of the account: its entries, its streams and what it keeps are the account's alone.
  public let client: QueryClient
  let accounts: QueryAccounts
  let serial: Int

  /// The name.
  public var id: String { name }

  /// Whether the account has ended; then the ``client`` shows nothing any more.
  public var hasEnded: Bool { client.isErased }

  /// Ends the account, and erases everything of it: call it at logout.
  ///
  /// **At once**, before the call first waits, the client is empty and shut down. Its streams end,
  /// its fetches and runs of mutations are cancelled, their answers are dropped, and nothing more
  /// is saved. **Then** each store notes the end, begins a new generation of the account's part,
  /// into which no late save gets, and erases the former one; those who show the account's data
  /// forget it, see `client.whenErased(_:)`. When the call returns, nothing of
  /// the account can be read from the client, streams, events, archives or stores.
  ///
  /// If a store cannot erase it now, the notes stay: the account cannot be opened before it is
  /// erased, in this process or in the next one.
  ///
  /// A cancelled caller throws at once, and the ending continues. A second call returns when the
  /// first one is over; after one that failed it tries again.
  ///
  /// - Throws: ``QueryAccountError/notErased(name:errors:)``, ``QueryAccountError/openedAgain(name:)``,
  ///   or `CancellationError`.
  public func end() async throws {
    try await accounts.end(self)
  }

  /// Closes the account: saves what has changed, and shuts its client down.
  ///
  /// What is kept stays. Fetches and runs of mutations that have not ended are cancelled. For accounts that are not used for a while, such as tenants of a server. A second call does nothing.
  /// A cancelled caller throws at once, and the closing continues.
  ///
  /// - Throws: ``QueryAccountError/notSaved(name:error:)``, and the account is still open, unless something
  ///   has changed at the very end; or `CancellationError`.
  public func close() async throws {
    try await accounts.close(self)
  }
}
