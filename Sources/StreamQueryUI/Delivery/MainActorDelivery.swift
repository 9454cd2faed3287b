@_spi(Adapters) internal import StreamQuery

/// Brings changes to all observed objects of one client, in one job of the main actor at a time.
///
/// A thousand rows share one delivery and have no task of their own. For any number of writes before
/// the main actor is free again, each object concerned is told once, of the newest state. Each
/// client has one delivery, which ends with it.
@MainActor
final class MainActorDelivery {
  private static var deliveries: [ObjectIdentifier: MainActorDelivery] = [:]
  /// The delivery that was used last: most apps have a single client.
  private static var latest: MainActorDelivery?

  private struct Slot {
    weak var member: (any DeliveryMember)?

    /// The member.
    ///
    /// This is not inlined, because that would first copy the weak reference, which is expensive.
    @inline(never)
    func load() -> (any DeliveryMember)? { member }
  }

  private struct Former {
    weak var member: (any ErasureMember)?
  }

  private struct Kept {
    var member: any OwnedMember
    var number: Int
  }

  let group: ObservationGroup
  /// The waits of views that show data of the client.
  let waits: SharedWaits
  /// The identity of the client, while that exists.
  let clientID: ObjectIdentifier
  weak let client: QueryClient?
  /// The members, by their position in the group.
  ///
  /// The next member at the position of a released one takes its slot.
  private var slots: [Slot] = []
  /// The objects that look for changes of their own when others have changed.
  private var lookers = DeliveryParticipants()
  private var isDelivering = false
  /// The positions of members that show something newer already than the changes of this delivery.
  private var overtaken: Set<Int> = []
  /// The work for the end of a delivery.
  private var rest: [@MainActor () -> Void] = []
  /// Objects that are retained for owners that cannot retain them.
  private var kept: [ObjectIdentifier: Kept] = [:]
  private var keptCount = 0
  private let owners: OwnerWatch
  /// The number of retained objects at which those without an owner are released, at the latest.
  private var keptLimit = 16
  /// The objects that show data of the client without being members.
  private var formers: [ObjectIdentifier: Former] = [:]
  /// The number of such objects at which released ones are removed from the table.
  private var formerLimit = 16
  private var erasure: ErasureHandler?
  /// The states of a preview; `nil` for the client of an app.
  var prepared: PreparedRuns?

  /// The delivery of a client.
  static func of(_ client: QueryClient) -> MainActorDelivery {
    if let latest, latest.client === client { return latest }
    let delivery = find(client)
    latest = delivery
    return delivery
  }

  private static func find(_ client: QueryClient) -> MainActorDelivery {
    // The identifier of a released client may be reused.
    if let delivery = deliveries[ObjectIdentifier(client)], delivery.client === client {
      return delivery
    }
    let delivery = MainActorDelivery(client)
    deliveries[ObjectIdentifier(client)] = delivery
    delivery.start(as: ObjectIdentifier(client))
    return delivery
  }

  /// The states of a client's preview; `nil` for the client of an app.
  static func prepared(for client: QueryClient) -> PreparedRuns? {
    if let latest, latest.client === client { return latest.prepared }
    guard let delivery = deliveries[ObjectIdentifier(client)], delivery.client === client else {
      return nil
    }
    return delivery.prepared
  }

  private init(_ client: QueryClient) {
    self.client = client
    clientID = ObjectIdentifier(client)
    group = ObservationGroup(client)
    waits = SharedWaits(clock: client.clock)
    owners = OwnerWatch(clock: client.clock)
    // The closure retains the delivery, because only the delivery knows objects that have stopped;
    // the closure goes with the client.
    erasure = client.whenErased { await self.erase() }
  }

  private func start(as id: ObjectIdentifier) {
    // The task is detached: it serves every view, and must not have the task-locals of the first
    // one. The task has no executor preference, because it runs on the main actor.
    Task.detached { await self.run(as: id) }
  }

  private func run(as id: ObjectIdentifier) async {
    while let changes = await group.next() { deliver(changes) }
    if Self.deliveries[id] === self { Self.deliveries[id] = nil }
    if Self.latest === self { Self.latest = nil }
  }

  private func deliver(_ changes: [ObservationChange], for looker: (any DeliveryParticipant)? = nil)
  {
    isDelivering = true
    defer { (isDelivering, overtaken) = (false, []) }
    for change in changes {
      if !change.isOver, overtaken.contains(change.position) { continue }
      slots[change.position].load()?.changed(change)
    }
    if !changes.isEmpty {
      // Readers may add others during this loop.
      if !lookers.isEmpty { for looker in lookers.all { look(looker) } }
    } else if let looker {
      // There is no change that the other objects would have to show in this job.
      look(looker)
    }
    while !rest.isEmpty {
      let actions = rest
      rest = []
      for action in actions { action() }
    }
    if !kept.isEmpty { releaseOrphans() }
  }

  /// Brings the pending changes now, in this job of the main actor.
  ///
  /// It does nothing during a delivery, which has taken changes and is still bringing them.
  ///
  /// - Parameter looker: An object with news of its own, which looks in any case.
  func deliverNow(for looker: (any DeliveryParticipant)? = nil) {
    if !isDelivering { deliver(group.takeChanges(), for: looker) }
  }

  /// A member has read its newest state by itself, so this delivery does not bring the older change
  /// that it has taken for the member.
  func overtake(_ position: Int) {
    if isDelivering { overtaken.insert(position) }
  }

  private func look(_ looker: any DeliveryParticipant) {
    if !looker.look() { lookers.remove(looker) }
  }

  /// Makes an object look at each delivery of changes, so that it changes in the same job as the members.
  func add(_ looker: any DeliveryParticipant) { lookers.add(looker) }

  /// Adds work for after this delivery, so that work for several changes is done once.
  func afterwards(_ action: @escaping @MainActor () -> Void) { rest.append(action) }

  /// Retains a member until it is released here, or its owner is gone.
  func retain(_ member: any OwnedMember) {
    if kept.count >= keptLimit {
      releaseOrphans()
      keptLimit = max(16, 2 * kept.count)
    }
    keptCount += 1
    kept[ObjectIdentifier(member)] = Kept(member: member, number: keptCount)
    owners.begin { [weak self] in self?.releaseOrphans() }
  }

  func release(_ member: any OwnedMember) {
    kept[ObjectIdentifier(member)] = nil
    if kept.isEmpty { owners.end() }
  }

  private func releaseOrphans() {
    let orphans = kept.values.filter(\.member.isOrphan).sorted { $0.number < $1.number }
    for orphan in orphans { orphan.member.cancel() }
  }

  /// Whether the client is that of the delivery.
  ///
  /// A client has another delivery after a shutdown.
  func isOf(_ client: QueryClient) -> Bool { self.client === client }

  /// Whether the client was erased.
  var isErased: Bool { client?.isErased == true }

  /// An object shows data of the client and is no member, for example because it has stopped.
  func remember(_ object: any ErasureMember) {
    if formers.count >= formerLimit {
      formers = formers.filter { $0.value.member != nil }
      formerLimit = max(16, 2 * formers.count)
    }
    formers[ObjectIdentifier(object)] = Former(member: object)
  }

  /// Makes all objects forget the data of the client, which was erased.
  private func erase() {
    // First the members hear that their observations have ended.
    deliverNow()
    for slot in slots { slot.load()?.forget(self) }
    for former in formers.values { former.member?.forget(self) }
    formers = [:]
  }

  /// Tells an object of the changes at a position from now on, until it is released.
  func tell(_ member: any DeliveryMember, of position: Int) {
    if slots.count <= position { makeSlots(upTo: position) }
    slots[position].member = member
  }

  private func makeSlots(upTo position: Int) {
    // The array grows by an eighth. It would double by itself, and half of many slots might be
    // empty.
    if slots.capacity <= position, position >= 4_096 {
      slots.reserveCapacity(position + position / 8)
    }
    while slots.count <= position { slots.append(Slot()) }
  }
}

/// An object to which a ``MainActorDelivery`` brings changes.
@MainActor
protocol DeliveryMember: ErasureMember {
  func changed(_ change: ObservationChange)
}
