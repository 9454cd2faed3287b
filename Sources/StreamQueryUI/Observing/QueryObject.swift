public import Observation
@_spi(Adapters) internal import StreamQuery

// swift-format-ignore: NoLeadingUnderscores
/// The base class of ``ObservedQuery`` and ``ObservedSelection``; the public members are in
/// ``_QueryObjectMembers``.
///
/// The class is concrete and has all properties, so that an object is one allocation.
@MainActor
public class _QueryObject<Stored: Sendable, Value: Sendable>: nonisolated Observable {
  /// The query that is observed, now or after the next start.
  var observedQuery: Query<Stored>
  /// The options of the observer, which take precedence over those of the query.
  var observerOptions: ObserverOptions? { rareParts?.options?.options }

  var rareParts: RareParts<Value>?

  var route: ErrorRoute<Value>? { rareParts?.route }

  func madeRareParts() -> RareParts<Value> {
    if let rareParts { return rareParts }
    let new = RareParts<Value>()
    rareParts = new
    return new
  }

  // The order of the properties leaves no gaps in memory, because there may be many of these objects.

  /// The registrar of readers; made at the first read, because many objects have no reader yet.
  private var registrar: ObservationRegistrar?
  private(set) var machine: ResultMachine<Stored, Value>
  private var member = ObservationMember<Stored>()
  private(set) var observer: QueryObserver<Stored>?
  /// The client that is observed; `nil` if the object does not observe.
  private(set) var client: QueryClient?
  /// The delivery of the client from which the shown data comes.
  private(set) var delivery: MainActorDelivery?

  init(
    _ query: Query<Stored>,
    options: ObserverOptions?,
    machine: ResultMachine<Stored, Value>
  ) {
    observedQuery = query
    // The options are only compared with `nil`, because unwrapping would copy them.
    if options != nil { rareParts = RareParts(options) }
    self.machine = machine
  }

  deinit {
    // The object leaves the group first, so that the end of its observation is not reported to the object.
    delivery?.group.remove(member.position)
    observer?.linger(.seconds(1))
  }

  // MARK: Life

  /// Returns whether the observation has ended, by a stop or a shutdown of the client, and a query has
  /// another key than the last observed one.
  func isOver(before query: Query<Stored>) -> Bool {
    observer == nil && delivery != nil && observedQuery.key != query.key
  }

  /// Shows the state of the present query instead of that of the former one, without observing.
  func lookAgain() {
    guard observer == nil else { return }
    if let client = client ?? delivery?.client { look(at: client) } else { clear() }
  }

  /// Shows the result that a new observer in a client would first show, without observing.
  func look(at client: QueryClient) {
    if delivery?.isOf(client) != true { follow(MainActorDelivery.of(client)) }
    delivery?.remember(self)
    route?.leave(for: QueryIdentity(observedQuery.key), of: client, by: self)
    take(client.result(for: observedQuery, options: observerOptions))
    // The account may have ended since the result was read.
    if client.isErased { clear() }
  }

  func take(_ options: ObserverOptions?) {
    // The options are only compared with `nil`, because unwrapping would copy them.
    if options != nil { madeRareParts().options = options.map { OptionsBox($0) } }
  }

  /// The machine for the observation's state; it is made from `client`, so that the state is not stored
  /// twice.
  var life: ObservingMachine {
    ObservingMachine(observing: client.map(ObjectIdentifier.init))
  }

  func follow(_ client: QueryClient, isOther: Bool) {
    // Pending changes of the former key are shown first, because its data may stay for a while. Making a
    // selection may call back, so the state of the observation is read after that.
    catchUp()
    var life = life
    perform(life.asked(for: ObjectIdentifier(client), isOther: isOther), client)
  }

  func perform(_ step: ObservingMachine.Step, _ client: QueryClient?) {
    switch step {
    case .nothing: break
    case .begin: if let client { begin(client) }
    case .change:
      keepFormerData()
      let isOther = observer?.query.key != observedQuery.key
      let options = client.flatMap { MainActorDelivery.options(observerOptions, for: $0) }
      observer?.update(query: observedQuery, options: options)
      takeNow(ofOtherKey: isOther)
    case .beginAgain:
      end()
      // A reader that was told of the end may have begun another observation.
      if self.client == nil, let client { begin(client) }
    case .end: end()
    }
  }

  /// Keeps the newest data of the key that the object is about to leave, even if that data was not delivered
  /// yet.
  private func keepFormerData() {
    guard machine.keepsPreviousData, let observer, observer.query.key != observedQuery.key
    else { return }
    // The machine is copied, so that the old result is released after the change: its release may run code
    // that reads this object.
    var next = machine
    next.leaves(observer.result)
    machine = next
  }

  private func begin(_ client: QueryClient) {
    self.client = client
    // The two cases are separate, because options are copied each time that they are passed on.
    let isPlain = rareParts?.options == nil && MainActorDelivery.prepared(for: client) == nil
    let observer =
      isPlain
      ? client.observer(of: observedQuery)
      : client.observer(
        of: observedQuery,
        options: MainActorDelivery.options(observerOptions, for: client)
      )
    let delivery = MainActorDelivery.of(client)
    let first = delivery.group.insert(observer)
    delivery.tell(self, of: first.position)
    self.observer = observer
    follow(delivery)
    member = first.member(of: observer)
    take(first.result(of: member) ?? observer.result)
    // An error that was shown before the observation began is reported now, because only an observing object
    // reports.
    if route != nil { offerError() }
  }

  private func end() {
    // The observer is released at the very end, because `onEvent` is called during the release, and may begin
    // another observation.
    let observer = observer
    self.observer = nil
    self.client = nil
    leave()
    observer?.linger(.seconds(1))
    withExtendedLifetime(observer) {}
  }

  /// Leaves the group of observers; the shown result stays.
  private func leave() {
    delivery?.group.remove(member.position)
    // The position is reset, because it may now belong to another member.
    member = ObservationMember()
    delivery?.remember(self)
  }

  /// From now on, shows data of a client.
  private func follow(_ delivery: MainActorDelivery) {
    // Data of one client must not be a placeholder for data of another client.
    if let former = self.delivery, former !== delivery { clear() }
    self.delivery = delivery
  }

  // MARK: Showing

  /// Shows the newest result, if it was only stored until now: it arrived when no reader had to be told of a
  /// change.
  func catchUp() {
    if machine.hasUnread, let result = machine.takeUnread() { take(result) }
  }

  /// Shows the observer's present result now, before the delivery brings it.
  ///
  /// After a shutdown of the client, even one that was not delivered yet, the last result stays if the key is
  /// the same.
  private func takeNow(ofOtherKey isOther: Bool = false) {
    guard let observer else { return }
    delivery?.overtake(member.position)
    if let result = observer.liveResult { return take(result) }
    if isOther || client?.isErased == true { take(observer.result) }
  }

  /// Delivers pending changes now, after a command; all changes of a transaction show together.
  func arrivedNow() { delivery?.deliverNow() }

  /// Shows a result that a delivery brings, inside of the function that applies changes.
  private func arrived(_ result: QueryResult<Stored>) {
    guard let changeContext = rareParts?.changeContext else { return take(result) }
    guard !result.isSame(as: machine.stored) else { return }
    let revision = machine.revision
    // The function that applies the change may have shown a newer result first.
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
      // The selection is made outside the machine, because it may read this object.
    } else if let made = machine.made(of: result), let arrival = machine.arrived(result, made) {
      show(arrival)
    }
  }

  private func show(_ arrival: ResultMachine<Stored, Value>.Arrival) {
    // If no changed field was read, no reader has to be told.
    let registrar = arrival.changed.isEmpty ? nil : registrar
    if registrar != nil, let rareParts { rareParts.witness?.readersAreTold() }
    registrar?.willChange(arrival.changed)
    machine.apply(arrival)
    registrar?.didChange(arrival.changed)
    if route != nil { offerError() }
  }

  func offerError() {
    catchUp()
    guard let route, let boundary = route.boundary, let client else { return }
    route.leave(for: QueryIdentity(observedQuery.key), of: client, by: self)
    switch route.machine.shown(machine.shown) {
    case .nothing: break
    case .offer(let error):
      route.offers(QueryIdentity(observedQuery.key), of: client)
      if client.shouldThrow(error, of: observedQuery) {
        boundary.report(error, of: observedQuery, in: client, by: self)
      }
    case .recovered: boundary.recovered(QueryIdentity(observedQuery.key), in: client, by: self)
    }
  }

  // The property is read by a closure, because a key path of a generic type would be made at every read.
  func read<Field>(_ field: ResultField, _ get: (QueryResult<Value>) -> Field) -> Field {
    noteRead(of: field)
    return get(machine.shown)
  }

  func readStored<Field>(_ field: ResultField, _ get: (QueryResult<Stored>) -> Field) -> Field {
    noteRead(of: field)
    return get(present.stored)
  }

  var shownData: Value? { machine.shown.data }

  func noteRead(of field: ResultField) {
    catchUp()
    let isFirst = machine.wasRead(field)
    // A newer result may have arrived during the selection. It is shown now, because this reader would not be
    // told of it.
    catchUp()
    (registrar ?? makeRegistrar()).access(field)
    if isFirst, let rareParts { rareParts.witness?.changeWasRead() }
  }

  private func makeRegistrar() -> ObservationRegistrar {
    let new = ObservationRegistrar()
    registrar = new
    return new
  }

  /// The shown result, and the query's result from which it was made; reads are not tracked.
  var present: (stored: QueryResult<Stored>, shown: QueryResult<Value>) {
    catchUp()
    return (machine.stored, machine.shown)
  }
}

extension _QueryObject: DeliveryMember {
  func changed(_ change: ObservationChange) {
    // The object may have another observer, or none, since the change was taken.
    guard observer != nil else { return }
    if let result = change.result(of: member) {
      // The machine is copied, so that the old result is released after the change: its release may run code
      // that reads this object.
      var next = machine
      if route == nil, next.arrivedUnread(result) { machine = next } else { arrived(result) }
    } else if change.ends(member) {
      // The client was shut down, and the last state stays. `client` is kept, so that a new client at the
      // same address does not count as observed already.
      catchUp()
      self.observer = nil
      leave()
      if client?.isErased == true { clear() }
    }
  }

  func forget(_ delivery: MainActorDelivery) { if self.delivery === delivery { clear() } }

  /// Removes the shown result.
  func clear() {
    route?.machine = ErrorRouteMachine()
    show(machine.forgotten())
  }
}

extension _QueryObject: ErrorReporter {
  func offerAgain(_ query: QueryIdentity, of client: ObjectIdentifier) {
    // Outside of a delivery, the object may not have been told of the newest state yet.
    if delivery?.isDelivering == false { takeNow() }
    if route?.forgetOffer(of: query, in: client) == true { offerError() }
  }
}

extension _QueryObject: WitnessedObject {
  var witness: (any ReaderWitness)? {
    get { rareParts?.witness }
    set { madeRareParts().witness = newValue }
  }
}
