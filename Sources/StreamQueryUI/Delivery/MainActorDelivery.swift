@_spi(Adapters) internal import StreamQuery

/// Delivers changes to all observed objects of one client, in one job of the main actor at a time.
///
/// A thousand rows share one delivery and have no tasks of their own. However many writes come before the
/// main actor is free again, each affected object is told once, of the newest state. Each client has one
/// delivery, which ends with the client, and delivers nothing after a shutdown.
@MainActor
final class MainActorDelivery {
  private static var deliveries: [ObjectIdentifier: MainActorDelivery] = [:]
  /// The delivery that was used last, as a shortcut, because most apps have a single client.
  private static var latest: MainActorDelivery?
  /// The deliveries of clients that were shut down; each of these clients retains its delivery.
  private static var ended: [ObjectIdentifier: Ended] = [:]

  private struct Ended {
    weak var delivery: MainActorDelivery?
  }

  private struct Slot {
    weak var member: (any DeliveryMember)?

    /// Returns the member.
    ///
    /// It is not inlined, because an inlined read would first copy the weak reference, which is expensive.
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
  /// Waits for the views that show the client's data, until the end of a turn or for a second.
  let waits: SharedWaits
  /// The identity of the client; another client may have the same identity after this one is released.
  let clientID: ObjectIdentifier
  weak let client: QueryClient?
  /// The members, by their positions in the group.
  ///
  /// The slot of a released member is used again when the group gives its position to another member.
  private var slots: [Slot] = []
  /// The participants, such as observed mutations: when members have changed, they show changes of their own.
  private var lookers = DeliveryParticipants()
  /// Whether a delivery is under way.
  private(set) var isDelivering = false
  /// The positions of members that have by themselves read a newer state than this delivery's changes.
  private var overtaken: Set<Int> = []
  /// The work to do at the end of this delivery.
  private var rest: [@MainActor () -> Void] = []
  /// The members that are retained here, because owners can retain them only with the Objective-C runtime.
  private var kept: [ObjectIdentifier: Kept] = [:]
  private var keptCount = 0
  private let owners: OwnerWatch
  /// The number of retained members at which those with released owners are removed.
  private var keptLimit = 16
  /// The objects that show data of the client without being members, such as objects that have stopped.
  private var formers: [ObjectIdentifier: Former] = [:]
  /// The number of `formers` at which released objects are removed.
  private var formerLimit = 16
  private var erasure: ErasureHandler?
  /// The states of mutations in a preview; `nil` if the client is that of an app.
  var prepared: PreparedRuns?

  /// Returns the delivery of a client, which the first call makes.
  static func of(_ client: QueryClient) -> MainActorDelivery {
    if let latest, latest.client === client { return latest }
    // An ended delivery is not stored as the latest one, because nothing would remove it from there.
    let over = ended.isEmpty ? nil : ended[ObjectIdentifier(client)]?.delivery
    if let over, over.client === client { return over }
    let delivery = find(client)
    latest = delivery
    return delivery
  }

  private static func find(_ client: QueryClient) -> MainActorDelivery {
    // The client is compared, because a new client may have the identifier of a released one.
    if let delivery = deliveries[ObjectIdentifier(client)], delivery.client === client {
      return delivery
    }
    let delivery = MainActorDelivery(client)
    deliveries[ObjectIdentifier(client)] = delivery
    delivery.start(as: ObjectIdentifier(client))
    return delivery
  }

  /// Returns the states of mutations in a client's preview; `nil` if the client is that of an app.
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
    // The closure retains the delivery, because an erasure must reach all objects that show the client's
    // data. Only the delivery knows those that have stopped observing. The client releases the closure when
    // it is erased or released.
    erasure = client.whenErased { await self.erase() }
  }

  private func start(as id: ObjectIdentifier) {
    // The task is detached, because it serves every view, and must not have the task-locals of the first
    // view. It has no executor preference, because its work runs on the main actor, which would ignore one.
    Task.detached { await self.run(as: id) }
  }

  private func run(as id: ObjectIdentifier) async {
    while let changes = await group.next() { deliver(changes) }
    if Self.deliveries[id] === self { Self.deliveries[id] = nil }
    if Self.latest === self { Self.latest = nil }
    // The members are told of no more changes, but a later erasure of the client must still find this
    // delivery.
    guard client != nil else { return }
    Self.ended = Self.ended.filter { $0.value.delivery != nil }
    Self.ended[id] = Ended(delivery: self)
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
      // Readers of the members may add participants during this loop, which goes over a copy.
      if !lookers.isEmpty { for looker in lookers.all { look(looker) } }
    } else if let looker {
      // The client has no change, so no other participant has to show its own change in this job.
      look(looker)
    }
    while !rest.isEmpty {
      let actions = rest
      rest = []
      for action in actions { action() }
    }
    if !kept.isEmpty { releaseOrphans() }
  }

  /// Delivers the pending changes now, in this job of the main actor.
  ///
  /// During a delivery the call has no effect, because that delivery still delivers its changes.
  ///
  /// - Parameter looker: A participant with changes of its own, which is asked in any case.
  func deliverNow(for looker: (any DeliveryParticipant)? = nil) {
    if !isDelivering { deliver(group.takeChanges(), for: looker) }
  }

  /// Skips the change that this delivery has for a member, because the member has read a newer state by
  /// itself.
  func overtake(_ position: Int) {
    if isDelivering { overtaken.insert(position) }
  }

  private func look(_ looker: any DeliveryParticipant) {
    if !looker.look() { lookers.remove(looker) }
  }

  /// Adds a participant, which is asked at each delivery, so that it changes in the same job as the members.
  func add(_ looker: any DeliveryParticipant) { lookers.add(looker) }

  /// Adds work for the end of this delivery, so that it is done once for several changes.
  func afterwards(_ action: @escaping @MainActor () -> Void) { rest.append(action) }

  /// Does work at the end of this delivery; at once if there is no delivery under way.
  func atEnd(_ action: @escaping @MainActor () -> Void) {
    if isDelivering { afterwards(action) } else { action() }
  }

  /// Retains a member until `release(_:)` is called or the member's owner is released.
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

  /// Whether this is the delivery of a client.
  func isOf(_ client: QueryClient) -> Bool { self.client === client }

  /// Whether the client was erased.
  var isErased: Bool { client?.isErased == true }

  /// Notes that an object shows data of the client without being a member, for example because it has
  /// stopped.
  func remember(_ object: any ErasureMember) {
    if formers.count >= formerLimit {
      formers = formers.filter { $0.value.member != nil }
      formerLimit = max(16, 2 * formers.count)
    }
    formers[ObjectIdentifier(object)] = Former(member: object)
  }

  /// Makes all objects forget the data of the client, because the client was erased.
  private func erase() {
    // First the members are told that their observations have ended.
    deliverNow()
    for slot in slots { slot.load()?.forget(self) }
    for former in formers.values { former.member?.forget(self) }
    formers = [:]
  }

  /// Makes an object the member at a position; changes there are delivered to it until its release.
  func tell(_ member: any DeliveryMember, of position: Int) {
    if slots.count <= position { makeSlots(upTo: position) }
    slots[position].member = member
  }

  private func makeSlots(upTo position: Int) {
    // The array grows by an eighth. By default it would double, and half of many slots might be empty.
    if slots.capacity <= position, position >= 4_096 {
      slots.reserveCapacity(position + position / 8)
    }
    while slots.count <= position { slots.append(Slot()) }
  }
}

/// An object to which a ``MainActorDelivery`` delivers changes.
@MainActor
protocol DeliveryMember: ErasureMember {
  func changed(_ change: ObservationChange)
}
