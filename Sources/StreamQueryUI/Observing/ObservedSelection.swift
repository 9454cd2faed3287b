public import Observation
@_spi(Adapters) public import StreamQuery

/// A query as an observable object that shows a selection of its data; ``ObservedQuery`` shows all.
///
/// ```swift
/// let names = ObservedSelection(.users, client: client) { $0.map(\.name) }
/// show(names.data, names.isFetching)
/// ```
///
/// **Life.** It observes from ``start(using:)`` to ``stop()``, or until it is released, whatever a
/// button has begun. What it shows stays after a stop, and after a shutdown of the client until
/// another query is asked for. A fetch outlives it by a second, so that a view that is back soon
/// finds its request still running, unless the query or the options say otherwise. When the account
/// ends that the client belongs to, it shows nothing.
///
/// **Changes.** They come together: however many writes happen while the main actor is busy, each
/// object changes once, to the newest state. All changes of a transaction of the cache show in the
/// same job of the main actor. No object has a task of its own.
///
/// **Tracking.** A reader is told only of changes of the properties that it has read. The data
/// changes when it is another value, if it is `Equatable`.
@MainActor
public final class ObservedSelection<Stored: Sendable, Selected: Sendable>: nonisolated Observable {
  /// The query that is observed, or will be.
  public private(set) var query: Query<Stored>
  /// The options of the observer, over those of the query.
  public var options: ObserverOptions? { rareParts?.options?.options }

  var rareParts: RareParts<Selected>?

  /// Where errors go that the query's `throwOnError` names; they stay in the results all the same.
  ///
  /// It is not retained: the view or the model that shows its errors owns it.
  public var boundary: ErrorBoundary? {
    get { route?.boundary }
    set {
      guard newValue !== boundary else { return }
      if route == nil { madeRareParts().route = ErrorRoute() }
      route?.move(to: newValue)
      offerError()
    }
  }

  private var route: ErrorRoute<Selected>? { rareParts?.route }

  // In an order that leaves no gaps: there may be many of these objects.

  /// Made when it is needed: many have no reader yet.
  private var registrar: ObservationRegistrar?
  private(set) var machine: ResultMachine<Stored, Selected>
  private var member = ObservationMember<Stored>()
  private(set) var observer: QueryObserver<Stored>?
  /// The client that is observed.
  private(set) var client: QueryClient?
  /// That of the client whose data is shown.
  private(set) var pump: Pump?

  init(
    _ query: Query<Stored>,
    options: ObserverOptions?,
    machine: ResultMachine<Stored, Selected>
  ) {
    self.query = query
    // Only compared with `nil`: unwrapping would copy all options.
    if options != nil { rareParts = RareParts(options) }
    self.machine = machine
  }

  deinit {
    // First, so that the end of the observation is no news.
    pump?.group.remove(member.position)
    observer?.linger(.seconds(1))
  }

  // MARK: Life

  /// Whether it observes: it was started, and not stopped since.
  public var isObserving: Bool { client != nil }

  /// Observes from now on; nothing if it does.
  ///
  /// What is cached shows at once, and initial data or a placeholder if nothing is.
  ///
  /// - Parameter client: The client; another one than before is observed instead of that.
  public func start(using client: QueryClient) {
    follow(client, isOther: false)
  }

  /// Observes no longer; what is shown stays.
  public func stop() {
    catchUp()
    var life = life
    perform(life.stopped(), nil)
  }

  /// Observes another query, or with other options, in place.
  ///
  /// This is no new subscription: with the same key nothing is fetched, so a view may call it
  /// whenever it is drawn. With another key, what is cached under that shows at once, and is
  /// fetched if it is stale.
  ///
  /// - Parameters:
  ///   - query: What to observe from now on; `nil` keeps it.
  ///   - options: The options from now on; `nil` keeps them.
  public func update(query: Query<Stored>? = nil, options: ObserverOptions? = nil) {
    let isOver = if let query { isOver(before: query) } else { false }
    if let query { self.query = query }
    take(options)
    if let client { follow(client, isOther: true) }
    if isOver { lookAgain() }
  }

  /// Observes a query of a client from now on, whatever it did before.
  ///
  /// For property wrappers and other adapters, which say at each update what they want.
  ///
  /// - Parameters:
  ///   - query: What to observe.
  ///   - options: Options of the observer; `nil` keeps the present ones.
  ///   - client: The client.
  public func follow(
    _ query: Query<Stored>,
    options: ObserverOptions? = nil,
    using client: QueryClient
  ) {
    let isOver = isOver(before: query)
    self.query = query
    take(options)
    follow(client, isOther: true)
    if isOver { lookAgain() }
  }

  /// Whether a query is another one than what was observed until its client was shut down.
  private func isOver(before query: Query<Stored>) -> Bool {
    observer == nil && client != nil && self.query.key != query.key
  }

  /// Shows nothing of the former query, of which the last state has stayed.
  private func lookAgain() {
    if observer == nil, let client { look(at: client) }
  }

  /// Shows what a new observer would see, without being one; nothing if the query of that client was
  /// shown already.
  func preview(_ query: Query<Stored>, _ options: ObserverOptions?, _ client: QueryClient) {
    let isOther = self.query.key != query.key
    self.query = query
    take(options)
    if isOther || machine.isNew || pump?.isOf(client) != true { look(at: client) }
  }

  /// Shows what a new observer of a client would see.
  private func look(at client: QueryClient) {
    // There is another pump after a shutdown, of which nothing comes.
    if pump?.isOf(client) != true { show(Pump.of(client)) }
    pump?.remember(self)
    route?.leave(for: QueryIdentity(query.key), of: client)
    take(client.result(for: query, options: options))
    // It may have ended in between.
    if client.isErased { forget() }
  }

  /// Observes and shows nothing until it is told what to observe.
  func showNothing() {
    stop()
    route?.leave(for: nil, of: nil)
    // So that the same query is another one when it comes back.
    query = .none
    forget()
  }

  private func take(_ options: ObserverOptions?) {
    // Only compared with `nil`: unwrapping would copy all options.
    if options != nil { madeRareParts().options = options.map { OptionsBox($0) } }
  }

  /// Follows from the client, of which it is no copy.
  private var life: ObservingMachine {
    ObservingMachine(observing: client.map(ObjectIdentifier.init))
  }

  private func follow(_ client: QueryClient, isOther: Bool) {
    // Of the former key: its data may have to be kept. First, because a selection may call back.
    catchUp()
    var life = life
    perform(life.asked(for: ObjectIdentifier(client), isOther: isOther), client)
  }

  private func perform(_ step: ObservingMachine.Step, _ client: QueryClient?) {
    switch step {
    case .nothing: break
    case .begin: if let client { begin(client) }
    case .change:
      let options = client.flatMap { Pump.options(self.options, for: $0) }
      observer?.update(query: query, options: options)
      takeNow()
    case .beginAgain:
      end()
      // What is told of the end may have begun anew.
      if !isObserving, let client { begin(client) }
    case .end: end()
    }
  }

  private func begin(_ client: QueryClient) {
    self.client = client
    // Apart, because options are copied as often as they are passed on.
    let isPlain = rareParts?.options == nil && Pump.prepared(for: client) == nil
    let observer =
      isPlain
      ? client.observer(of: query)
      : client.observer(of: query, options: Pump.options(options, for: client))
    let pump = Pump.of(client)
    let first = pump.group.insert(observer)
    pump.tell(self, of: first.position)
    self.observer = observer
    show(pump)
    member = first.member(of: observer)
    take(first.result(of: member) ?? observer.result)
    // It may have been shown before, when nothing was observed that could report it.
    if route != nil { offerError() }
  }

  private func end() {
    // Let go of at the very end: `onEvent` is told of it at once, and may begin again.
    let observer = observer
    self.observer = nil
    self.client = nil
    leave()
    observer?.linger(.seconds(1))
    withExtendedLifetime(observer) {}
  }

  /// Is no member any more; what is shown stays.
  private func leave() {
    pump?.group.remove(member.position)
    // Others get the position.
    member = ObservationMember()
    pump?.remember(self)
  }

  /// Shows data of a client from now on.
  private func show(_ pump: Pump) {
    // Nothing of one client may stand in for data of another.
    if let former = self.pump, former !== pump { forget() }
    self.pump = pump
  }

  // MARK: Showing

  /// Shows a change that waited for a reader.
  private func catchUp() {
    if machine.hasUnread, let result = machine.takeUnread() { take(result) }
  }

  /// Shows what the observer sees now, although the pump would bring it later.
  private func takeNow() {
    guard let observer else { return }
    pump?.overtake(member.position)
    take(observer.result)
  }

  /// The same, after a wait, with all that the same transaction has changed elsewhere.
  func arrivedNow() { pump?.deliverNow() }

  /// Shows a result that nobody has just asked for.
  private func arrived(_ result: QueryResult<Stored>) {
    guard let changeContext else { return take(result) }
    guard !result.isSame(as: machine.stored) else { return }
    let revision = machine.revision
    // The context may have shown something newer before.
    changeContext { if machine.revision == revision { take(result) } }
  }

  private func take(_ result: QueryResult<Stored>) {
    if machine.hasUnread { _ = machine.takeUnread() }
    if machine.showsAtOnce {
      guard !result.isSame(as: machine.stored) else { return }
      machine.show(result)
      if route != nil { offerError() }
    } else if machine.showsStored {
      if let arrival = machine.arrived(result) { show(arrival) }
      // Apart: a selection may read this object.
    } else if let made = machine.made(of: result), let arrival = machine.arrived(result, made) {
      show(arrival)
    }
  }

  private func show(_ arrival: ResultMachine<Stored, Selected>.Arrival) {
    // What nobody has read is no change.
    let registrar = arrival.changed.isEmpty ? nil : registrar
    if registrar != nil, let rareParts { rareParts.witness?.readersAreTold() }
    registrar?.willChange(arrival.changed)
    machine.show(arrival)
    registrar?.didChange(arrival.changed)
    if route != nil { offerError() }
  }

  private func offerError() {
    catchUp()
    guard let route, let boundary = route.boundary, let client else { return }
    route.leave(for: QueryIdentity(query.key), of: client)
    switch route.machine.shown(machine.shown) {
    case .nothing: break
    case .offer(let error):
      route.offers(QueryIdentity(query.key), of: client)
      if client.shouldThrow(error, of: query) {
        boundary.report(error, of: query, in: client, by: route)
      }
    case .recovered: boundary.recovered(QueryIdentity(query.key), in: client)
    }
  }

  // A closure, because a key path of a generic type would be made anew at every read.
  func read<Field>(_ field: ResultField, _ get: (QueryResult<Selected>) -> Field) -> Field {
    noteRead(of: field)
    return get(machine.shown)
  }

  var shownData: Selected? { machine.shown.data }

  func noteRead(of field: ResultField) {
    catchUp()
    let isFirst = machine.wasRead(field)
    // A selection may have let something newer wait, of which this reader would not be told.
    catchUp()
    (registrar ?? makeRegistrar()).access(field)
    if isFirst, let rareParts { rareParts.witness?.changeWasRead() }
  }

  private func makeRegistrar() -> ObservationRegistrar {
    let new = ObservationRegistrar()
    registrar = new
    return new
  }

  /// The result that is shown now, and that of the query, without being tracked.
  var present: (stored: QueryResult<Stored>, shown: QueryResult<Selected>) {
    catchUp()
    return (machine.stored, machine.shown)
  }
}

extension ObservedSelection: PumpMember {
  func changed(_ change: ObservationChange) {
    // It may have another observer since the change was taken, or none.
    guard observer != nil else { return }
    if let result = change.result(of: member) {
      // A copy: what the object has shown is released when it has changed.
      var next = machine
      if route == nil, next.arrivedUnread(result) { machine = next } else { arrived(result) }
    } else if change.ends(member) {
      // The client was shut down: the last state stays. So does the client, lest another one that
      // gets its address seems to be observed already.
      catchUp()
      self.observer = nil
      leave()
      if client?.isErased == true { forget() }
    }
  }

  func forget(_ pump: Pump) { if self.pump === pump { forget() } }

  /// Shows nothing.
  private func forget() {
    route?.machine = ErrorRouteMachine()
    show(machine.forgotten())
  }
}
