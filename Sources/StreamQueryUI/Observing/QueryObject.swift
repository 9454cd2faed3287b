public import Observation
@_spi(Adapters) internal import StreamQuery

// swift-format-ignore: NoLeadingUnderscores
/// The base class of ``ObservedQuery`` and ``ObservedSelection``, whose members are in
/// ``_QueryObjectMembers``.
///
/// It is one class, so that an object is one allocation.
@MainActor
public class _QueryObject<Stored: Sendable, Value: Sendable>: nonisolated Observable {
  /// The query that is observed, or will be.
  var observedQuery: Query<Stored>
  /// The options of the observer, over those of the query.
  var observerOptions: ObserverOptions? { rareParts?.options?.options }

  var rareParts: RareParts<Value>?

  var route: ErrorRoute<Value>? { rareParts?.route }

  func madeRareParts() -> RareParts<Value> {
    if let rareParts { return rareParts }
    let new = RareParts<Value>()
    rareParts = new
    return new
  }

  // The order of the properties leaves no gaps, because there may be many of these objects.

  /// The registrar of readers; made when it is needed, because many objects have no reader yet.
  private var registrar: ObservationRegistrar?
  private(set) var machine: ResultMachine<Stored, Value>
  private var member = ObservationMember<Stored>()
  private(set) var observer: QueryObserver<Stored>?
  /// The observed client.
  private(set) var client: QueryClient?
  /// The delivery of the client whose data is shown.
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
    // The object leaves the group first, so that the end of its observation is no news for it.
    delivery?.group.remove(member.position)
    observer?.linger(.seconds(1))
  }

  // MARK: Life

  /// Whether the observation has ended, by a stop or a shutdown of its client, and another query is named
  /// now.
  func isOver(before query: Query<Stored>) -> Bool {
    observer == nil && delivery != nil && observedQuery.key != query.key
  }

  /// Forgets the last state of the former query, which was still shown.
  func lookAgain() {
    guard observer == nil else { return }
    if let client = client ?? delivery?.client { look(at: client) } else { clear() }
  }

  /// Shows the first result of a new observer of a client.
  func look(at client: QueryClient) {
    // After a shutdown the client has another delivery, which brings no changes.
    if delivery?.isOf(client) != true { follow(MainActorDelivery.of(client)) }
    delivery?.remember(self)
    route?.leave(for: QueryIdentity(observedQuery.key), of: client)
    take(client.result(for: observedQuery, options: observerOptions))
    // The account may have ended in between.
    if client.isErased { clear() }
  }

  func take(_ options: ObserverOptions?) {
    // The options are only compared with `nil`, because unwrapping would copy them.
    if options != nil { madeRareParts().options = options.map { OptionsBox($0) } }
  }

  /// The machine for the present client, which is not stored a second time.
  var life: ObservingMachine {
    ObservingMachine(observing: client.map(ObjectIdentifier.init))
  }

  func follow(_ client: QueryClient, isOther: Bool) {
    // First shows pending news of the former key, whose data may be shown for a while. A selection
    // may call back meanwhile.
    catchUp()
    var life = life
    perform(life.asked(for: ObjectIdentifier(client), isOther: isOther), client)
  }

  func perform(_ step: ObservingMachine.Step, _ client: QueryClient?) {
    switch step {
    case .nothing: break
    case .begin: if let client { begin(client) }
    case .change:
      let options = client.flatMap { MainActorDelivery.options(observerOptions, for: $0) }
      observer?.update(query: observedQuery, options: options)
      takeNow()
    case .beginAgain:
      end()
      // A reader that is told of the end may have begun another observation.
      if self.client == nil, let client { begin(client) }
    case .end: end()
    }
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
    // The result may have been shown before, when no observation could report its error.
    if route != nil { offerError() }
  }

  private func end() {
    // The observer is released at the very end: `onEvent` hears of that at once, and may begin an
    // observation again.
    let observer = observer
    self.observer = nil
    self.client = nil
    leave()
    observer?.linger(.seconds(1))
    withExtendedLifetime(observer) {}
  }

  /// Leaves the group; the shown result stays.
  private func leave() {
    delivery?.group.remove(member.position)
    // The position may now belong to another member.
    member = ObservationMember()
    delivery?.remember(self)
  }

  /// Shows data of a client from now on.
  private func follow(_ delivery: MainActorDelivery) {
    // Data of one client must not be a placeholder for data of another.
    if let former = self.delivery, former !== delivery { clear() }
    self.delivery = delivery
  }

  // MARK: Showing

  /// Shows a change that waited for a reader.
  func catchUp() {
    if machine.hasUnread, let result = machine.takeUnread() { take(result) }
  }

  /// Shows the observer's present result now; the delivery would bring it later.
  private func takeNow() {
    guard let observer else { return }
    delivery?.overtake(member.position)
    take(observer.result)
  }

  /// Shows the observer's present result after a wait, with all other changes of the same
  /// transaction.
  func arrivedNow() { delivery?.deliverNow() }

  /// Shows a result that arrived by itself.
  private func arrived(_ result: QueryResult<Stored>) {
    guard let changeContext = rareParts?.changeContext else { return take(result) }
    guard !result.isSame(as: machine.stored) else { return }
    let revision = machine.revision
    // The function around the change may have shown a newer result before.
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
    // If no changed field was read, there is nobody to tell.
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
    route.leave(for: QueryIdentity(observedQuery.key), of: client)
    switch route.machine.shown(machine.shown) {
    case .nothing: break
    case .offer(let error):
      route.offers(QueryIdentity(observedQuery.key), of: client)
      if client.shouldThrow(error, of: observedQuery) {
        boundary.report(error, of: observedQuery, in: client, by: route)
      }
    case .recovered: boundary.recovered(QueryIdentity(observedQuery.key), in: client)
    }
  }

  // The property is read by a closure, because a key path of a generic type would be made at every
  // read.
  func read<Field>(_ field: ResultField, _ get: (QueryResult<Value>) -> Field) -> Field {
    noteRead(of: field)
    return get(machine.shown)
  }

  var shownData: Value? { machine.shown.data }

  func noteRead(of field: ResultField) {
    catchUp()
    let isFirst = machine.wasRead(field)
    // A newer result may have arrived during the selection, and wait: this reader would not hear of
    // it.
    catchUp()
    (registrar ?? makeRegistrar()).access(field)
    if isFirst, let rareParts { rareParts.witness?.changeWasRead() }
  }

  private func makeRegistrar() -> ObservationRegistrar {
    let new = ObservationRegistrar()
    registrar = new
    return new
  }

  /// The shown result and that of the query, untracked.
  var present: (stored: QueryResult<Stored>, shown: QueryResult<Value>) {
    catchUp()
    return (machine.stored, machine.shown)
  }
}

extension _QueryObject: DeliveryMember {
  func changed(_ change: ObservationChange) {
    // The object may have another observer since the change was taken, or none.
    guard observer != nil else { return }
    if let result = change.result(of: member) {
      // The machine is copied, so that the old result is released after the change.
      var next = machine
      if route == nil, next.arrivedUnread(result) { machine = next } else { arrived(result) }
    } else if change.ends(member) {
      // The client was shut down: the last state stays. The client stays too, so that another one
      // at its address does not seem to be observed already.
      catchUp()
      self.observer = nil
      leave()
      if client?.isErased == true { clear() }
    }
  }

  func forget(_ delivery: MainActorDelivery) { if self.delivery === delivery { clear() } }

  /// Shows nothing.
  func clear() {
    route?.machine = ErrorRouteMachine()
    show(machine.forgotten())
  }
}

extension _QueryObject: WitnessedObject {
  var witness: (any ReaderWitness)? {
    get { rareParts?.witness }
    set { madeRareParts().witness = newValue }
  }
}
