internal import Synchronization

/// The accounts or tenants of an app or service, each with a client and a part of the stores.
///
/// No account sees anything of another: not in memory, because each has its own client, and not in a
/// store, because each has its own partition there. What belongs to an account ends with it, see
/// ``QueryScope/end()``.
///
/// ```swift
/// let scopes = QueryScopes(in: store) { name, configuration in
///   configuration.persistence = Persistence(in: store)
/// }
/// let account = try await scopes.open("user-42")
/// ```
///
/// An account stays open until it is closed or ended. Make one object of this type for each set of
/// stores, and keep it.
public final class QueryScopes: Sendable {
  typealias Table = ScopeTable<QueryClient, any QueryStore, SharedOneShot<Void>>

  private let stores: [any QueryStore]
  private let executor: (any TaskExecutor)?
  private let makeClient: @Sendable (_ name: String, StorePartition) -> QueryClient
  private let table = Mutex(Table())

  /// Creates accounts of which none is open.
  ///
  /// Accounts that ended before, and that a store has not erased yet, are erased now, in the background.
  ///
  /// - Parameters:
  ///   - stores: All stores in which queries of accounts are kept, also by ``Query/persisted(_:)``.
  ///   - configuration: The configuration of the clients of all accounts.
  ///   - configure: Changes the configuration for one account, given its name. The partition is set
  ///     afterwards.
  public convenience init(
    in stores: any QueryStore...,
    configuration: QueryClient.Configuration = .init(),
    configure: @escaping @Sendable (String, inout QueryClient.Configuration) -> Void = { _, _ in }
  ) {
    self.init(in: stores, executor: configuration.executor) { name, partition in
      var configuration = configuration
      configure(name, &configuration)
      configuration.partition = partition
      return QueryClient(configuration: configuration)
    }
  }

  /// Creates accounts whose clients are made by somebody else, such as a simulation.
  package init(
    in stores: [any QueryStore],
    executor: (any TaskExecutor)?,
    makeClient: @escaping @Sendable (_ name: String, StorePartition) -> QueryClient
  ) {
    self.stores = stores
    self.executor = executor
    self.makeClient = makeClient
    Task.detached(executorPreference: executor) { [weak self] in try? await self?.finishEndings() }
  }

  /// The accounts that are open, in the order in which they were opened.
  public var opened: [QueryScope] {
    table.withLock(\.opened).sorted { $0.value.serial < $1.value.serial }.map { name, opened in
      QueryScope(name: name, client: opened.client, scopes: self, serial: opened.serial)
    }
  }

  /// Opens an account, or returns it if it is open.
  ///
  /// An account that has ended before is new and empty. If a store has not erased it yet, that is done
  /// first.
  ///
  /// - Parameter name: The name of the account, such as the identifier of a user. Stores may use it in
  ///   file names, so it should hold no secret.
  /// - Returns: The account.
  /// - Throws: ``QueryScopeError/unreadable(_:)``, ``QueryScopeError/notErased(name:errors:)``; or
  ///   `CancellationError`, and the account may be open by then.
  public func open(_ name: String) async throws -> QueryScope {
    try Task.checkCancellation()
    return try await perform("the opening of \"\(name)\"", name) { scopes in
      if let opened = scopes.table.withLock({ $0.opened[name] }) {
        return QueryScope(name: name, client: opened.client, scopes: scopes, serial: opened.serial)
      }
      if try await scopes.isNoted(name) { try await scopes.erase(name, nil) }
      let client = scopes.makeClient(name, ScopeNotes.partition(of: name))
      let serial = scopes.table.withLock { $0.opened(name, client) }
      return QueryScope(name: name, client: client, scopes: scopes, serial: serial)
    }
  }

  /// Ends an account, whether it is open or not; see ``QueryScope/end()``.
  ///
  /// - Parameter name: The name of the account.
  /// - Throws: ``QueryScopeError/notErased(name:errors:)`` or `CancellationError`.
  public func end(_ name: String) async throws {
    try await perform("the ending of \"\(name)\"", name) {
      table.withLock { $0.opened[name]?.client }?.erase()
    } body: { scopes in
      try await scopes.erase(name, nil)
    }
  }

  /// Erases the accounts that have ended but that a store could not erase so far.
  ///
  /// This begins by itself when the object is made; the call waits for it, and tries again.
  ///
  /// - Throws: The first ``QueryScopeError``, after all were tried; `CancellationError` if the caller is
  ///   cancelled.
  public func finishEndings() async throws {
    var names = Set(table.withLock { $0.unfinished.keys })
    var failure: (any Error)?
    for store in stores {
      do {
        names.formUnion(try await ScopeNotes(store: store).names())
      } catch {
        failure = failure ?? QueryScopeError.unreadable(error)
      }
    }
    for name in names.sorted() {
      do {
        try await perform("the ending of \"\(name)\"", name) { scopes in
          let isOpen = scopes.table.withLock { $0.opened[name] != nil }
          // Opened since: then it was erased before.
          if !isOpen, try await scopes.isNoted(name) { try await scopes.erase(name, nil) }
        }
      } catch {
        failure = failure ?? error
      }
    }
    try Task.checkCancellation()
    if let failure { throw failure }
  }

  // MARK: Steps

  func end(_ scope: QueryScope) async throws {
    let (name, hadEnded) = (scope.name, scope.hasEnded)
    try await perform("the ending of \"\(name)\"", name) {
      scope.client.erase()
    } body: { scopes in
      switch scopes.table.withLock({ $0.ending(of: name, scope.serial, hadEnded: hadEnded) }) {
      case .erase: try await scopes.erase(name, scope.client)
      case .nothing: break
      case .isOpenAgain: throw QueryScopeError.openedAgain(name: name)
      }
    }
  }

  func close(_ scope: QueryScope) async throws {
    try await perform("the closing of \"\(scope.name)\"", scope.name) { scopes in
      guard scopes.table.withLock({ $0.opened[scope.name]?.serial }) == scope.serial else { return }
      do {
        try await scope.client.save()
      } catch let error as QueryStoreError where error.mayPass && !scope.hasEnded {
        throw QueryScopeError.notSaved(name: scope.name, error: error)
      } catch {
        // It has ended meanwhile, or the store takes nothing more from this client.
      }
      scope.client.shutDown()
      await scope.client.persisters.persister?.waitUntilOver()
      let closed = scopes.table.withLock { $0.closed(scope.name, scope.serial) }
      withExtendedLifetime(closed) {}
    }
  }

  /// Whether an account has ended and may not be erased yet.
  private func isNoted(_ name: String) async throws -> Bool {
    if table.withLock({ $0.unfinished[name] != nil }) { return true }
    for store in stores {
      do {
        if try await ScopeNotes(store: store).contains(name) { return true }
      } catch {
        throw QueryScopeError.unreadable(error)
      }
    }
    return false
  }

  /// Erases an account in all stores, on its turn.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - former: Its client, if it is not open any more but known.
  /// - Throws: ``QueryScopeError/notErased(name:errors:)``.
  private func erase(_ name: String, _ former: QueryClient?) async throws {
    let (present, left) = table.withLock { ($0.opened[name]?.client, $0.unfinished[name] ?? []) }
    let client = present ?? former
    client?.erase()
    await client?.finishErasure()
    let partition = ScopeNotes.partition(of: name)
    let persister = client?.persisters.persister as? StorePersister
    var all: [any QueryStore] = []
    for store in stores + left + (persister?.stores(of: partition) ?? [])
    where !all.contains(where: { $0 === store }) {
      all.append(store)
    }
    let failures = await ScopeEnding(name: name, stores: all).run()
    let ended = table.withLock { $0.ended(name, failedIn: failures.map(\.store)) }
    withExtendedLifetime(ended) {}
    guard failures.isEmpty else {
      throw QueryScopeError.notErased(name: name, errors: failures.map(\.error))
    }
  }

  // MARK: Turns

  /// Does something with an account on its turn, whatever becomes of the caller.
  ///
  /// - Parameters:
  ///   - subject: What it is, in words.
  ///   - name: The account.
  ///   - atOnce: What is done before the turn has come, but after the calls before this one have taken
  ///     theirs.
  ///   - body: What is done on the turn.
  /// - Returns: What `body` returns.
  /// - Throws: The error of `body`, or `CancellationError`.
  private func perform<Value: Sendable>(
    _ subject: String,
    _ name: String,
    atOnce: () -> Void = {},
    body: @escaping @Sendable (QueryScopes) async throws -> Value
  ) async throws -> Value {
    let answer = SharedOneShot<Result<Value, any Error>>()
    let turn = SharedOneShot<Void>()
    let isFirst = table.withLock { $0.takeTurn(of: name, orWait: turn) }
    atOnce()
    // Detached: whoever comes next waits for it, and the caller may leave.
    Task.detached(executorPreference: executor) {
      if !isFirst { _ = await turn.take() }
      let result: Result<Value, any Error>
      do { result = .success(try await body(self)) } catch { result = .failure(error) }
      self.table.withLock { $0.turnEnded(of: name) }?.give(())
      answer.give(result)
    }
    let observer = executor as? any WaitObserver
    let subject = WaitObservation.hasBegun ? WaitSubject(observer) { subject } : nil
    let wait = subject.map { CallerWait($0) { answer.close() } }
    defer { withExtendedLifetime(wait) {} }
    let result = await withTaskCancellationHandler {
      await answer.take { wait?.began() }
    } onCancel: {
      answer.close()
    }
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}

extension QueryStoreError {
  /// Whether the store may take the same batch later.
  fileprivate var mayPass: Bool {
    switch self {
    case .full, .denied, .failed: true
    case .inUse, .laterVersion, .superseded, .closed: false
    }
  }
}
