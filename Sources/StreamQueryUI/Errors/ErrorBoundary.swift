public import Observation
internal import StreamQuery

/// Collects errors of the queries in a part of a screen, to show them in place of that part.
///
/// The `throwOnError` of a query decides which of its errors go to a boundary. Other errors stay in the
/// results. An observed query reports to the boundary in its property `boundary`. For a query of a property
/// wrapper, that is the nearest boundary around the view.
///
/// ```swift
/// let boundary = ErrorBoundary()
/// let user = ObservedQuery(.user(42).throwOnError(.when { $0 is AuthError }), client: client)
/// user.boundary = boundary
/// if let error = boundary.error {
///   show(error)
///   await boundary.reset()         // a button: tries all again
/// }
/// ```
///
/// Boundaries may be nested: if a boundary does not catch an error, the error goes to its parent.
@MainActor
public final class ErrorBoundary: nonisolated Observable {
  /// The origin of an error: a query, or a report of a view.
  private enum Source: Hashable {
    case query(ObjectIdentifier, QueryIdentity)
    case report(Int)
  }

  private typealias Retry = @MainActor () async -> Void

  /// The boundary around this one.
  public let parent: ErrorBoundary?

  private let registrar = ObservationRegistrar()
  private var machine = BoundaryMachine<Source, Retry>()
  private let catches: @MainActor (any Error) -> Bool
  private let onReset: @MainActor () -> Void
  private var reportCount = 0
  /// Whether the last error came from a preview, in which queries do not try again.
  private var isPrepared = false

  /// Creates a boundary.
  ///
  /// - Parameters:
  ///   - parent: The boundary around this one.
  ///   - onReset: Called by ``reset()-1h7bh``, before the queries try again.
  ///   - catches: Returns whether the boundary catches an error; by default it catches all. Other errors go
  ///     to the parent.
  public init(
    parent: ErrorBoundary? = nil,
    onReset: @escaping @MainActor () -> Void = {},
    catches: @escaping @MainActor (any Error) -> Bool = { _ in true }
  ) {
    self.parent = parent
    self.catches = catches
    self.onReset = onReset
  }

  /// The caught errors, one for each query, in the order in which they first failed.
  public var errors: [any Error] {
    registrar.access(.error)
    return machine.caught.map(\.error)
  }

  /// The first caught error; `nil` if there is none.
  public var error: (any Error)? { errors.first }

  /// Reports an error that belongs to no query, such as the error of a button's action.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - retry: Called by ``reset()-1h7bh``.
  /// - Returns: Whether this boundary, or one around it, has caught the error.
  @discardableResult
  public func report(
    _ error: any Error,
    retry: @escaping @MainActor () async -> Void = {}
  ) -> Bool {
    reportCount += 1
    return take(error, by: .report(reportCount), retry: retry)
  }

  /// Removes all errors, makes their queries try again, and waits until the tries have ended.
  ///
  /// Queries without data are reset: they begin as if they had never failed. Queries with data keep it and
  /// are fetched, unless they are static. Disabled queries are not fetched. A fetch that begins without
  /// a network counts as ended.
  ///
  /// An error that an object still shows after the try is caught again. This may be the error of a selection
  /// for which the fetch has brought the same data, or an error beside data without a network.
  public func reset() async {
    for task in startReset() { await task.value }
  }

  /// Removes all errors and makes their queries try again without waiting, for buttons.
  public func reset() { _ = startReset() }

  private func startReset() -> [Task<Void, Never>] {
    guard !isPrepared else { return [] }
    onReset()
    var tries: [(source: Source, retry: Retry)] = []
    change { tries = $0.triesAgain() }
    return tries.map { source, retry in
      // The task has no executor preference, because the main actor would ignore one.
      Task {
        await retry()
        triedAgain(source)
      }
    }
  }

  /// Removes all errors, without a fetch.
  public func dismiss() {
    change { $0.removeErrors { _ in true } }
  }

  /// Asks the objects that had reported a source's error to report it again if they still show it after the
  /// try.
  private func triedAgain(_ source: Source) {
    offerAgain(machine.triedAgain(source), source)
  }

  private func offerAgain(_ reporters: [AnyObject], _ source: Source) {
    guard case .query(let client, let query) = source else { return }
    for case let reporter as any ErrorReporter in reporters {
      reporter.offerAgain(query, of: client)
    }
  }

  func report<Value>(
    _ error: any Error,
    of query: Query<Value>,
    in client: QueryClient,
    by reporter: any ErrorReporter
  ) {
    report(error, of: QueryIdentity(query.key), .query(query), in: client, by: reporter) {
      client.data(for: query) != nil
    }
  }

  func report(
    _ error: any Error,
    of query: AnyQuery,
    in client: QueryClient,
    by reporter: any ErrorReporter
  ) {
    let filter = QueryFilter.queries([query])
    report(error, of: QueryIdentity(query), filter, in: client, by: reporter) {
      client.diagnostics(filter).first?.data != nil
    }
  }

  private func report(
    _ error: any Error,
    of key: QueryIdentity,
    _ filter: QueryFilter,
    in client: QueryClient,
    by reporter: any ErrorReporter,
    hasData: @escaping @MainActor () -> Bool
  ) {
    let source = Source.query(ObjectIdentifier(client), key)
    _ = take(error, by: source, from: reporter, of: MainActorDelivery.of(client)) {
      if client.fetchingCount(filter) > 0 {
        // A view that shows the query again may already fetch it, and one request is enough.
        await client.refetch(filter, superseding: false)
      } else if hasData() {
        await client.refetch(filter)
      } else {
        await client.reset(filter)
      }
      // The reporters must show the result of the try before `triedAgain` asks them about the error.
      MainActorDelivery.of(client).deliverNow()
    }
  }

  /// Removes the errors of a query that has recovered by itself, here and in the boundaries around this one.
  ///
  /// Other objects that have reported an error report it again if they still show it, for example that of a
  /// selection of the new data.
  func recovered(_ key: QueryIdentity, in client: QueryClient, by reporter: any ErrorReporter) {
    let source = Source.query(ObjectIdentifier(client), key)
    if hasCaught(source) {
      let others = machine.reporters(of: source).filter { $0 !== reporter }
      change { _ = $0.recovered(source) }
      // During a delivery, the others may not have been told of the new state yet.
      MainActorDelivery.of(client).atEnd { [weak self] in self?.offerAgain(others, source) }
    }
    parent?.recovered(key, in: client, by: reporter)
  }

  /// Removes a query's errors here and in the boundaries around this one, because the object that has
  /// reported them shows another query by now.
  ///
  /// An error stays if other objects have also reported it.
  func left(_ key: QueryIdentity, in client: QueryClient, by reporter: AnyObject) {
    left(.query(ObjectIdentifier(client), key), by: reporter)
  }

  private func left(_ source: Source, by reporter: AnyObject) {
    leftHere(source, by: reporter)
    parent?.left(source, by: reporter)
  }

  private func leftHere(_ source: Source, by reporter: AnyObject) {
    if hasCaught(source) { change { _ = $0.left(source, by: reporter) } }
  }

  private func hasCaught(_ source: Source) -> Bool {
    machine.caught.contains { $0.source == source }
  }

  private func take(
    _ error: any Error,
    by source: Source,
    from reporter: AnyObject? = nil,
    of delivery: MainActorDelivery? = nil,
    retry: @escaping Retry
  ) -> Bool {
    guard catches(error) else {
      // An earlier error of the query that this boundary has caught is outdated, so it is removed.
      if let reporter { leftHere(source, by: reporter) }
      return parent?.take(error, by: source, from: reporter, of: delivery, retry: retry) ?? false
    }
    // An earlier error that a boundary around this one has caught is outdated, too, and is removed.
    if let reporter { parent?.left(source, by: reporter) }
    if let delivery {
      // This boundary catches the error and will be reset, so it notes whether the client is that of a
      // preview.
      isPrepared = delivery.prepared != nil
      delivery.remember(self)
    }
    change { $0.reported(error, by: source, from: reporter, retry: retry) }
    return true
  }

  private func change(_ body: (inout BoundaryMachine<Source, Retry>) -> Void) {
    registrar.willChange(ResultFields(.error))
    body(&machine)
    registrar.didChange(ResultFields(.error))
  }
}

extension ErrorBoundary: ErasureMember {
  func forget(_ delivery: MainActorDelivery) {
    change { machine in
      machine.removeErrors { if case .query(delivery.clientID, _) = $0 { true } else { false } }
    }
  }
}

/// An object that reports the errors of queries to a boundary.
@MainActor
protocol ErrorReporter: AnyObject {
  /// Reports an error again if the object still shows it, because the query has tried again.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - client: The identity of the query's client.
  func offerAgain(_ query: QueryIdentity, of client: ObjectIdentifier)
}
