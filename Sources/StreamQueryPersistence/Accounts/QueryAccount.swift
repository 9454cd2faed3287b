@_spi(Adapters) public import StreamQuery

/// An open account or tenant, with its own client and its own part of each store.
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
  /// The name with which the account was opened.
  public let name: String
  /// The client of the account: its entries, its streams and its stored data belong to this account
  /// alone.
  public let client: QueryClient
  let accounts: QueryAccounts
  let serial: Int

  /// The account's ``name``.
  public var id: String { name }

  /// Whether the account has ended; the ``client`` is empty then.
  public var hasEnded: Bool { client.isErased }

  /// Ends the account, and erases its data: call it at logout.
  ///
  /// **At once**, before the call first waits, the client is empty and shut down. Its streams end,
  /// its fetches and runs of mutations are cancelled, their answers are dropped, and no more data
  /// is saved. **Then** each store notes the end, begins a new generation of the account's part,
  /// which refuses late saves, and erases the former one. Code that shows the account's data
  /// forgets it, see `client.whenErased(_:)`. When the call returns, no data of the account can be
  /// read from the client, streams, events, archives or stores.
  ///
  /// If a store cannot erase the data now, the notes stay. Then the account cannot be opened, in this process
  /// or the next one, before it is erased.
  ///
  /// A cancelled caller throws at once, and the ending continues. A second call returns when the first one
  /// has erased the stores; after a failure it tries again.
  ///
  /// - Throws: ``QueryAccountError/notErased(name:errors:)``, ``QueryAccountError/openedAgain(name:)``,
  ///   or `CancellationError`.
  public func end() async throws {
    try await accounts.end(self)
  }

  /// Closes the account: saves changes, and shuts its client down.
  ///
  /// Stored data stays. Fetches and runs of mutations that have not ended are cancelled. Close accounts that
  /// are not used for a while, such as tenants of a server. A second call does nothing.
  ///
  /// The call waits for a store that hangs, and so do later calls about the account. To wait no longer,
  /// cancel the caller: a cancelled caller throws at once, and the closing continues, also if the call began
  /// after the cancellation.
  ///
  /// - Throws: ``QueryAccountError/notSaved(name:error:)``, after which the account is still open. If only
  ///   changes that were made during the closing were not saved, the account is closed. Or
  ///   `CancellationError`.
  public func close() async throws {
    try await accounts.close(self)
  }
}
