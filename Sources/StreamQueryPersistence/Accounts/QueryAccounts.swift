@_spi(Adapters) public import StreamQuery
internal import Synchronization

/// The accounts or tenants of an app or service, each with a client and a part of the stores.
///
/// Accounts share no data: in memory each has its own client, and in a store each has its own partition. The
/// data of an account ends with it, see ``QueryAccount/end()``.
///
/// ```swift
/// let accounts = QueryAccounts(in: store) { name, configuration in
///   configuration.persistence = Persistence(in: store)
/// }
/// let account = try await accounts.open("user-42")
/// ```
///
/// An account stays open until it is closed or ended, and open accounts retain their clients. Make one object
/// of this type for each set of stores, and keep it. Its partitions are `accounts` and `accounts-copy`, with
/// notes about accounts that have ended, and `account/` with the name of an account.
public final class QueryAccounts: Sendable {
  typealias Table = AccountTable<QueryClient, any QueryStore, SharedOneShot<Void>>

  private let stores: [any QueryStore]
  private let executor: (any TaskExecutor)?
  private let makeClient: @Sendable (_ name: String, AccountPlace) -> QueryClient
  private let table = Mutex(Table())

  /// Creates the accounts, none of which is open.
  ///
  /// Accounts that ended before, and that a store has not erased yet, are now erased in the background.
  ///
  /// - Parameters:
  ///   - stores: All stores in which queries of accounts are kept, by the configuration or by
  ///     ``StreamQuery/Query/persisted(_:migrating:)``.
  ///   - configuration: The configuration of the clients of all accounts.
  ///   - configure: Changes the configuration for one account, given its name. The partition is set
  ///     afterwards.
  public convenience init(
    in stores: any QueryStore...,
    configuration: QueryClient.Configuration = .init(),
    configure: @escaping @Sendable (String, inout QueryClient.Configuration) -> Void = { _, _ in }
  ) {
    var shared = configuration
    shared.shareDeadlines()
    self.init(in: stores, executor: configuration.executor) { [shared] name, place in
      var configuration = shared
      configure(name, &configuration)
      place.set(in: &configuration)
      return QueryClient(configuration: configuration)
    }
  }

  /// Creates accounts with a function that makes their clients, for example in a simulation.
  package init(
    in stores: [any QueryStore],
    executor: (any TaskExecutor)?,
    makeClient: @escaping @Sendable (_ name: String, AccountPlace) -> QueryClient
  ) {
    self.stores = Self.unique(stores)
    self.executor = executor
    self.makeClient = makeClient
    // The task is detached, because no caller waits for it.
    Task.detached(executorPreference: executor) { [weak self] in try? await self?.finishEndings() }
  }

  /// The accounts that are open, in the order in which they were opened.
  public var opened: [QueryAccount] {
    table.withLock(\.opened).filter { !$0.value.client.isErased }
      .sorted { $0.value.serial < $1.value.serial }
      .map { account($0, $1) }
  }

  private func account(_ name: String, _ opened: Table.Opened) -> QueryAccount {
    QueryAccount(name: name, client: opened.client, accounts: self, serial: opened.serial)
  }

  /// The names of accounts that have ended, but may still have data in a store; sorted.
  @_spi(Adapters) public var unfinishedNames: [String] {
    table.withLock { $0.unfinished.keys.sorted() }
  }

  /// Opens an account, or returns it if it is open.
  ///
  /// An account that has ended before is new and empty when it is opened; a store that has not erased it yet
  /// erases it first.
  ///
  /// - Parameter name: The name of the account, such as the identifier of a user. Stores may use it in
  ///   file names and keep it after the account's end, so it should hold no secret.
  /// - Returns: The account.
  /// - Throws: ``QueryAccountError/unreadable(_:)``, ``QueryAccountError/notErased(name:errors:)``; or
  ///   `CancellationError`, and the account may be open by then.
  public func open(_ name: String) async throws -> QueryAccount {
    try Task.checkCancellation()
    // A shortcut for the usual case: the account is open, and no other call has its turn.
    let opened = table.withLock { $0.undisturbed(name) }
    if let opened, !opened.client.isOver { return account(name, opened) }
    return try await perform("the opening of \"\(name)\"", name) { accounts, turn in
      try await accounts.opening(name, turn)
    }
  }

  /// Ends an account, whether it is open or not; see ``QueryAccount/end()``.
  ///
  /// - Parameter name: The name of the account.
  /// - Throws: ``QueryAccountError/notErased(name:errors:)`` or `CancellationError`.
  public func end(_ name: String) async throws {
    try await perform("the ending of \"\(name)\"", name) { turn in
      endAtOnce(name, table.withLock { $0.clients(of: name) }, turn)
    } body: { accounts, turn in
      try await accounts.erase(name, turn)
    }
  }

  /// Erases all accounts that have ended, where a store could not erase them so far.
  ///
  /// The object starts this work when it is created. The call waits for that work, and tries failed stores
  /// again.
  ///
  /// - Throws: The first ``QueryAccountError``, after all were tried; `CancellationError` if the caller is
  ///   cancelled.
  public func finishEndings() async throws {
    let answer = SharedOneShot<[any Error]>()
    // The task is detached, so that cancelling the caller does not cancel the work of a store.
    Task.detached(executorPreference: executor) { answer.give(await self.finishAllEndings()) }
    let errors = await answer.take(orGive: [])
    try Task.checkCancellation()
    if let error = errors?.first { throw error }
  }

  private func finishAllEndings() async -> [any Error] {
    let unfinished = table.withLock { Array($0.unfinished.keys) }
    let tasks = ParallelTasks<[any Error]>(on: executor)
    tasks.addTask { await self.finishEndings(of: unfinished) }
    for store in stores {
      tasks.addTask {
        do throws(QueryStoreError) {
          return await self.finishEndings(of: try await AccountNotes(store: store).names())
        } catch {
          return [QueryAccountError.unreadable(error)]
        }
      }
    }
    return await tasks.values().flatMap(\.self)
  }

  private func finishEndings(of names: [String]) async -> [any Error] {
    let tasks = ParallelTasks<(any Error)?>(on: executor)
    for name in names {
      tasks.addTask {
        do {
          try await self.perform("the ending of \"\(name)\"", name) { accounts, turn in
            let isOpen = accounts.table.withLock { $0.opened[name] != nil }
            // If the account is open, the call that opened it has already erased the former data.
            if !isOpen, try await accounts.isNoted(name) { try await accounts.erase(name, turn) }
          }
          return nil
        } catch {
          return error
        }
      }
    }
    return await tasks.values().compactMap(\.self)
  }

  // MARK: Steps, each on the turn of its account

  private func opening(_ name: String, _ turn: Turn) async throws -> QueryAccount {
    if let opened = table.withLock({ $0.opened[name] }) {
      guard opened.client.isOver else { return account(name, opened) }
      // The app has shut the account's client down, so a new client is made.
      await opened.client.waitUntilOver()
      let closed = table.withLock { $0.closed(name, opened.serial) }
      withExtendedLifetime(closed) {}
    }
    // The account may have ended after this call began, and its note may not be written yet.
    var hasEnded = table.withLock { $0.clients(of: name) }.contains { $0.isErased }
    if !hasEnded { hasEnded = try await isNoted(name) }
    if hasEnded { try await erase(name, turn) }
    let client = makeClient(name, place(of: name))
    let serial = table.withLock { $0.opened(name, client) }
    return QueryAccount(name: name, client: client, accounts: self, serial: serial)
  }

  func end(_ account: QueryAccount) async throws {
    let name = account.name
    try await perform("the ending of \"\(name)\"", name) { turn in
      let hadEnded = account.hasEnded
      // The clients are found in the same step: the account may be closed and opened again at any time.
      let clients = table.withLock { table in
        table.isEnding(name, account.serial, hadEnded: hadEnded) ? table.clients(of: name) : []
      }
      return clients.isEmpty ? [] : endAtOnce(name, clients, turn)
    } body: { accounts, turn in
      let ending = withExtendedLifetime(account.client) {
        accounts.table.withLock { $0.ending(of: name, account.serial) }
      }
      if ending == .erase { return try await accounts.erase(name, turn) }
      let failures = await accounts.takeBack(turn)
      if ending == .isOpenAgain { throw QueryAccountError.openedAgain(name: name) }
      guard failures.isEmpty else {
        throw QueryAccountError.notErased(name: name, errors: failures.map(\.error))
      }
    }
  }

  func close(_ account: QueryAccount) async throws {
    try await perform("the closing of \"\(account.name)\"", account.name) { accounts, _ in
      guard accounts.table.withLock({ $0.opened[account.name]?.serial }) == account.serial else {
        return
      }
      let (name, client) = (account.name, account.client)
      let persister = client.persister as? StorePersister
      var rounds = 0
      repeat {
        await client.actionsPerformed()
        let saves = persister?.beginSave() ?? []
        let failures = await persister?.finish(saves) ?? []
        // A store that was given up is never written again, so the account does not wait for it.
        var errors = failures.filter { persister?.hasGivenUp($0) != true }.map(\.error)
        if let error = await client.durableRuns?.save() as? QueryStoreError { errors.append(error) }
        // If the account has ended meanwhile, there are no changes to save.
        if let error = errors.first(where: { !$0.isFinal }), !client.isErased {
          throw QueryAccountError.notSaved(name: name, error: error)
        }
        rounds += 1
      } while rounds < 10 && persister?.isDirty == true && !client.isErased
      client.shutDown()
      await client.waitUntilOver()
      accounts.place(of: name).reportUnlisted(client, name)
      for store in accounts.stores(of: client, name) {
        await store.release(AccountNotes.partition(of: name))
      }
      let closed = accounts.table.withLock { $0.closed(name, account.serial) }
      withExtendedLifetime(closed) {}
      var errors = persister?.lastErrors ?? []
      if let error = await client.durableRuns?.save() as? QueryStoreError { errors.append(error) }
      if let error = errors.first(where: { !$0.isFinal }), !client.isErased {
        throw QueryAccountError.notSaved(name: name, error: error)
      }
    }
  }

  /// Returns whether there is a note that an account has ended.
  private func isNoted(_ name: String) async throws -> Bool {
    if table.withLock({ $0.unfinished[name] != nil }) { return true }
    for store in stores {
      do {
        if try await AccountNotes(store: store).contains(name) { return true }
      } catch {
        throw QueryAccountError.unreadable(error)
      }
    }
    return false
  }

  /// Erases an account in memory at once, before the call has the turn.
  ///
  /// - Returns: The account's clients.
  private func endAtOnce(_ name: String, _ clients: [QueryClient], _ turn: Turn) -> [QueryClient] {
    for client in clients { client.erase() }
    let ending = ending(of: name, clients, turn)
    turn.ending.withLock { $0 = ending }
    return clients
  }

  /// If an account has certainly ended, writes the note of its end, even while another call about the account
  /// runs.
  private func note(_ turn: Turn) async {
    await turn.ending.withLock { $0 }?.note()
    turn.noted.give(())
  }

  /// Removes the notes of an account's end that the call wrote while another call about the account still
  /// ran.
  ///
  /// If a note stayed, the next launch would erase the data of an account that has been opened again.
  private func takeBack(_ turn: Turn) async -> [AccountEnding.Failure] {
    guard let ending = turn.ending.withLock({ $0 }) else { return [] }
    await turn.noted.wait()
    return await ending.takeBack()
  }

  /// Erases an account in memory and in its stores, while no other call about the account runs.
  private func erase(_ name: String, _ turn: Turn) async throws {
    let clients = table.withLock { $0.clients(of: name) }
    for client in clients { client.erase() }
    turn.erased.withLock { $0 = clients }
    for client in clients { place(of: name).reportUnlisted(client, name) }
    let ending = ending(of: name, clients, turn)
    // The stores are erased before the clients have ended. The wipe begins a new generation, which refuses
    // late saves, so the call need not wait for the clients.
    var failures = await ending.erase()
    for client in clients { await client.waitUntilOver() }
    // A task may still be writing the note that it began before the call had the turn. The removal waits, so
    // that it comes after the note.
    await turn.noted.wait()
    if failures.isEmpty { failures = await ending.removeNotes() }
    let ended = table.withLock { $0.ended(name, failedIn: failures.map(\.store)) }
    withExtendedLifetime(ended) {}
    guard failures.isEmpty else {
      throw QueryAccountError.notErased(name: name, errors: failures.map(\.error))
    }
  }

  private func ending(of name: String, _ clients: [QueryClient], _ turn: Turn) -> AccountEnding {
    let left = table.withLock { $0.unfinished[name] ?? [] }
    // Before it had the turn, the call may have written notes, also to stores of clients that are gone by
    // now. These stores are erased, too.
    let noted = turn.ending.withLock { $0?.stores ?? [] }
    let all = stores + left + noted + clients.flatMap { stores(of: $0, name) }
    return AccountEnding(name: name, stores: Self.unique(all))
  }

  private func place(of name: String) -> AccountPlace {
    AccountPlace(
      partition: AccountNotes.partition(of: name),
      stores: stores,
      accounts: self
    )
  }

  /// The stores that a client of an account has used.
  private func stores(of client: QueryClient, _ name: String) -> [any QueryStore] {
    place(of: name).stores(usedBy: client)
  }

  private static func unique(_ stores: [any QueryStore]) -> [any QueryStore] {
    stores.reduce(into: []) { all, store in
      if !all.contains(where: { $0 === store }) { all.append(store) }
    }
  }

  // MARK: Turns

  /// The state of one call about an account.
  private final class Turn: Sendable {
    /// The clients that the call erased while it had the turn.
    let erased = Mutex<[QueryClient]>([])
    /// The work that ends the account, if the end was certain while the call still waited for the turn.
    let ending = Mutex<AccountEnding?>(nil)
    /// Fires when the call has written its note of the account's end, or need not write one.
    let noted = SharedOneShot<Void>()
  }

  /// Waits for the turn of an account, and then runs a closure, even if the caller is cancelled.
  ///
  /// - Parameters:
  ///   - subject: A description of the work.
  ///   - name: The account.
  ///   - atOnce: Called at once, when the call has joined the queue; returns the clients that it erased. Code
  ///     that shows their data is told outside of the turn, so that this code may use the account.
  ///   - body: Called when the call has the turn.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or `CancellationError`.
  private func perform<Value: Sendable>(
    _ subject: String,
    _ name: String,
    atOnce: (Turn) -> [QueryClient] = { _ in [] },
    body: @escaping @Sendable (QueryAccounts, Turn) async throws -> Value
  ) async throws -> Value {
    let answer = SharedOneShot<Result<Value, any Error>>()
    let wait = SharedOneShot<Void>()
    let isFirst = table.withLock { $0.turns.take(name, orWait: wait) }
    let turn = Turn()
    let erased = atOnce(turn)
    // The task is detached, because the next call waits for the task's end, even if the caller is cancelled.
    Task.detached(executorPreference: executor) {
      async let told: Void = Self.tell(erased)
      // The note is written at once. Another call that has the turn may wait long for a store, and the
      // process may end in that time.
      async let noted: Void = self.note(turn)
      if !isFirst { _ = await wait.wait() }
      let result: Result<Value, any Error>
      do { result = .success(try await body(self, turn)) } catch { result = .failure(error) }
      self.table.withLock { $0.turns.ended(name) }?.give(())
      await told
      await noted
      await Self.tell(turn.erased.withLock { $0 })
      answer.give(result)
    }
    let cancelled = Result<Value, any Error>.failure(CancellationError())
    let call = CallerWait(on: executor, for: subject) { answer.give(cancelled) }
    defer { withExtendedLifetime(call) {} }
    let result = await answer.take(orGive: cancelled) { call?.began() }
    return try (result ?? cancelled).get()
  }

  private static func tell(_ erased: [QueryClient]) async {
    for client in erased { await client.forgetShown() }
  }
}
