public import Observation
@_spi(Adapters) public import StreamQuery

/// A list of queries of any value types as an observable object.
///
/// ```swift
/// let batch = ObservedQueries([AnyQuery(.user(1)), AnyQuery(.repos(1))], client: client)
/// show(batch[.user(1)]?.data, batch[.repos(1)]?.data)
/// ```
///
/// Each query is observed and fetched separately; a query that fails has a failed result among the others.
/// All changes of a transaction of the cache show together. A fetch outlives the list by a second, like that
/// of an ``ObservedQuery``.
///
/// A reader is told only of changes of the properties that it has read: the result of a key, ``isFetching``,
/// or all results, by ``results``.
@MainActor
public final class ObservedQueries: nonisolated Observable {
  /// A function that applies arriving changes, for example inside of an animation; `nil` applies them
  /// directly.
  ///
  /// It does not apply changes that show at once: at the start, or with another list.
  public var changeContext: ChangeContext?

  /// The boundary for the errors that the `throwOnError` of a query names; these errors also stay in the
  /// results.
  ///
  /// The boundary is not retained here: it belongs to the view or the model that shows its errors.
  public weak var boundary: ErrorBoundary? {
    didSet {
      guard boundary !== oldValue else { return }
      // All errors are reported again, because the new boundary does not know them.
      routes = [:]
      routesClient = client
      offerErrors()
    }
  }

  /// The identity of one query in the list.
  ///
  /// A list may have a query twice, with different options, so the occurrences are numbered.
  struct Routed: Hashable {
    let identity: QueryIdentity
    let occurrence: Int
  }

  private let registrar = ObservationRegistrar()
  var machine = ListMachine()
  /// For each query that had an error, the machine that decides what is reported to the boundary.
  var routes: [Routed: ErrorRouteMachine<AnyQueryResult>] = [:]
  /// The client of the queries in ``routes``.
  weak var routesClient: QueryClient?
  private(set) var queries: [AnyQuery]
  private(set) var client: QueryClient?
  private var observer: QueryListObserver?
  private(set) var delivery: MainActorDelivery?
  private var positions: [Int] = []
  /// The delivery of the client from which the shown results come.
  private var shownDelivery: MainActorDelivery?
  /// Whether the object has changes to show at the end of the running delivery, which may bring several.
  private var isOutdated = false
  /// The object that is told of changes together with readers: the holder of a property wrapper.
  weak var witness: (any ReaderWitness)?

  /// Creates an object that observes a list from now on.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - client: The client.
  public convenience init(_ queries: [AnyQuery], client: QueryClient) {
    self.init(queries)
    start(using: client)
  }

  /// Creates an object that observes nothing until ``start(using:)``.
  ///
  /// - Parameter queries: The queries.
  public init(_ queries: [AnyQuery] = []) {
    self.queries = queries
  }

  deinit {
    for position in positions { delivery?.group.remove(position) }
    observer?.linger(.seconds(1))
  }

  // MARK: Life

  /// Whether the object observes: it was started, and was not stopped since.
  public var isObserving: Bool { life.isObserving }

  /// Begins to observe; has no effect if the object observes this client already.
  ///
  /// - Parameter client: The client, which replaces a former one.
  public func start(using client: QueryClient) {
    leaves(for: client)
    var life = life
    perform(life.asked(for: ObjectIdentifier(client), isOther: false), client)
  }

  /// Stops observing; the shown results stay.
  public func stop() {
    leaves(for: nil)
    var life = life
    perform(life.stopped(), nil)
  }

  /// The machine for the observation's state; it is made from `client`, so that the state is not stored
  /// twice.
  private var life: ObservingMachine {
    ObservingMachine(observing: client.map(ObjectIdentifier.init))
  }

  /// Shows the changes that a delivery has brought, before the object observes another client or none.
  ///
  /// A reader that is told of them may call back, so callers read the state of the observation after this
  /// call.
  private func leaves(for other: QueryClient?) {
    if isOutdated, client !== other { show() }
  }

  /// Replaces the list.
  ///
  /// Queries with keys of the old list keep their observers, so a view may call this whenever it is drawn.
  /// After a stop, the call shows cached data of the new list, and the next start observes that list.
  ///
  /// - Parameter queries: The new list.
  public func update(_ queries: [AnyQuery]) {
    if let client { return follow(queries, using: client) }
    let isOther = queries.map(\.key) != self.queries.map(\.key)
    self.queries = queries
    // After a stop, the last state is shown until another list is named.
    guard isOther, let shownDelivery else { return }
    if let client = shownDelivery.client { look(at: client) } else { clear() }
  }

  /// From now on, observes a list of queries of a client.
  ///
  /// - Parameters:
  ///   - queries: The queries.
  ///   - client: The client.
  public func follow(_ queries: [AnyQuery], using client: QueryClient) {
    leaves(for: client)
    // After a shutdown of the client, the last state is shown until another list is named.
    let isOver =
      observer == nil && self.client != nil && queries.map(\.key) != self.queries.map(\.key)
    self.queries = queries
    var life = life
    perform(life.asked(for: ObjectIdentifier(client), isOther: true), client)
    if isOver, observer == nil { look(at: client) }
  }

  /// Shows the results that new observers would first show, without observing; has no effect if the list and
  /// the client are shown already.
  func preview(_ queries: [AnyQuery], _ client: QueryClient) {
    let isOther = queries.map(\.key) != self.queries.map(\.key)
    self.queries = queries
    guard isOther || machine.shown == nil || shownDelivery?.isOf(client) != true else { return }
    look(at: client)
  }

  private func look(at client: QueryClient) {
    if shownDelivery?.isOf(client) != true { shows(MainActorDelivery.of(client)) }
    shownDelivery?.remember(self)
    leaveFormerErrors()
    show(client.result(for: queries))
    // The account may have ended since the results were read.
    if client.isErased { clear() }
  }

  /// Stops observing and shows nothing, until a call names a list again.
  func showNothing() {
    stop()
    // The release of the observer can call `onEvent`, which may have started the list again.
    guard client == nil else { return }
    queries = []
    leaveErrors { _ in true }
    show(nil)
  }

  private func perform(_ step: ObservingMachine.Step, _ client: QueryClient?) {
    switch step {
    case .nothing: break
    case .begin: if let client { begin(client) }
    case .change:
      observer?.update(client.map { MainActorDelivery.queries(queries, for: $0) } ?? queries)
      join()
      // After a shutdown, the results of the same list stay.
      if !show(), queries.map(\.key) != machine.shown?.keys, let client { look(at: client) }
    case .beginAgain:
      end()
      // A reader that was told of the end may have begun another observation.
      if self.client == nil, let client { begin(client) }
    case .end: end()
    }
  }

  private func begin(_ client: QueryClient) {
    self.client = client
    observer = client.observer(all: MainActorDelivery.queries(queries, for: client))
    join()
    if !show() { look(at: client) }
    // Errors that were shown before the observation began are reported now, because only an observing object
    // reports.
    offerErrors()
  }

  private func end() {
    leave()
    shownDelivery?.remember(self)
    // The old observer is released at the end, because its release may call user code, which must find this
    // object in its final state.
    let observer = observer
    self.observer = nil
    client = nil
    observer?.linger(.seconds(1))
    withExtendedLifetime(observer) {}
  }

  private func join() {
    guard let observer, let client else { return }
    leave()
    let delivery = MainActorDelivery.of(client)
    self.delivery = delivery
    shows(delivery)
    positions = delivery.group.insert(observer)
    for position in positions { delivery.tell(self, of: position) }
  }

  /// From now on, shows results of a client.
  private func shows(_ delivery: MainActorDelivery) {
    // The errors of the former client are withdrawn from the boundary.
    if let shownDelivery, shownDelivery !== delivery { leaveErrors { _ in true } }
    shownDelivery = delivery
  }

  private func leave() {
    for position in positions { delivery?.group.remove(position) }
    (delivery, positions) = (nil, [])
  }

  // MARK: Showing

  /// The results; `nil` before the first start.
  ///
  /// Readers are told of every change of a result.
  public var results: QueryListResults? { read(.result) { $0 } }

  /// The result of a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: The result, even if the query failed; `nil` if the list has no such query.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(key: QueryKey<Value>) -> QueryResult<Value>? {
    guard let position = machine.shown?.position(of: key) else { return results?[key] }
    let isFirst = machine.wasRead(position)
    registrar.access(position: position)
    if isFirst { witness?.changeWasRead() }
    return machine.shown?[key]
  }

  /// The result of a query.
  ///
  /// - Parameter query: The query.
  /// - Returns: The result, even if the query failed; `nil` if the list has no query of that key.
  /// - Complexity: O(*n*) in the length of the list.
  public subscript<Value>(query: Query<Value>) -> QueryResult<Value>? { self[query.key] }

  /// Whether any of the queries is pending, or the object has no results yet.
  public var isPending: Bool { read(.isPending) { $0?.isPending ?? true } }

  /// Whether any of the queries is fetching.
  public var isFetching: Bool { read(.isFetching) { $0?.isFetching ?? false } }

  /// Whether all of the queries have data and no error.
  public var isSuccess: Bool { read(.isSuccess) { $0?.isSuccess ?? false } }

  /// The errors, in the order of the list.
  public var errors: [any Error] { read(.error) { $0?.errors ?? [] } }

  private func read<Part>(_ field: ResultField, _ get: (QueryListResults?) -> Part) -> Part {
    let isFirst = machine.wasRead(field)
    registrar.access(field)
    if isFirst { witness?.changeWasRead() }
    return get(machine.shown)
  }

  private func arrived() {
    if let changeContext { changeContext { show() } } else { show() }
  }

  /// Shows the results of the observer.
  ///
  /// - Returns: `false` if the observer has no results, as after a shutdown of the client.
  @discardableResult
  func show() -> Bool {
    isOutdated = false
    guard let observer else { return true }
    let results = observer.results
    guard results.count > 0 || queries.isEmpty else { return false }
    show(results)
    return true
  }

  private func show(_ new: QueryListResults?) {
    guard let arrival = machine.arrived(new) else { return }
    if arrival.concernsReaders { witness?.readersAreTold() }
    registrar.willChange(arrival.fields)
    registrar.willChange(positions: arrival.positions)
    machine.apply(arrival)
    registrar.didChange(positions: arrival.positions)
    registrar.didChange(arrival.fields)
    offerErrors()
  }

  /// Delivers pending changes now, after a command; all changes of a transaction show together.
  func arrivedNow() { delivery?.deliverNow() }
}

extension ObservedQueries: WitnessedObject {}

extension ObservedQueries: DeliveryMember {
  func changed(_ change: ObservationChange) {
    guard !change.isOver else {
      // The client was shut down: the last state is shown until another list is named.
      observer = nil
      if client?.isErased == true { clear() }
      return
    }
    guard !isOutdated, let delivery else { return }
    isOutdated = true
    delivery.afterwards { [weak self] in self?.arrived() }
  }

  func forget(_ delivery: MainActorDelivery) {
    if shownDelivery === delivery { clear() }
  }

  /// Removes the shown results.
  private func clear() {
    routes = [:]
    show(nil)
  }
}
