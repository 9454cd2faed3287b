internal import StreamQuery

/// Brings changes to all observed objects of one client, in one job of the main actor at a time.
///
/// A thousand rows have one pump between them and no task of their own. However many writes happen
/// before the main actor is free again, each object that they concern is told once, of the newest
/// state. There is one pump for each client; it ends with the client.
@MainActor
final class Pump {
  private static var pumps: [ObjectIdentifier: Pump] = [:]
  /// The one that delivers now.
  private static var delivering: Pump?

  private struct Slot {
    weak var member: (any PumpMember)?
  }

  private struct Looker {
    weak var object: (any PumpLooker)?
  }

  let group: ObservationGroup
  private weak let client: QueryClient?
  /// The members, by their position in the group.
  ///
  /// A member that is released leaves its slot to the next one that gets the position.
  private var slots: [Slot] = []
  /// What looks for changes of its own at each delivery.
  private var lookers: [ObjectIdentifier: Looker] = [:]
  private var isDelivering = false
  /// The positions of members that show something newer than this delivery brings.
  private var overtaken: Set<Int> = []
  /// What is left to do at the end of a delivery.
  private var rest: [@MainActor () -> Void] = []
  /// What is kept for objects that cannot keep it themselves.
  private var kept: [ObjectIdentifier: any OwnedMember] = [:]

  /// The pump of a client.
  static func of(_ client: QueryClient) -> Pump {
    // An identifier may come back after its client is gone.
    if let pump = pumps[ObjectIdentifier(client)], pump.client === client { return pump }
    let pump = Pump(client)
    pumps[ObjectIdentifier(client)] = pump
    pump.start(as: ObjectIdentifier(client))
    return pump
  }

  private init(_ client: QueryClient) {
    self.client = client
    group = ObservationGroup(client)
  }

  private func start(as id: ObjectIdentifier) {
    // Detached: it serves every view, so it must not have the task-locals of the first one.
    // No executor preference: it runs on the main actor.
    Task.detached { await self.run(as: id) }
  }

  private func run(as id: ObjectIdentifier) async {
    while let changes = await group.next() { deliver(changes) }
    if Self.pumps[id] === self { Self.pumps[id] = nil }
  }

  private func deliver(_ changes: [ObservationChange]) {
    isDelivering = true
    let outer = Self.delivering
    Self.delivering = self
    defer {
      isDelivering = false
      Self.delivering = outer
      if !overtaken.isEmpty { overtaken = [] }
    }
    for change in changes where change.isOver || !overtaken.contains(change.position) {
      member(at: change.position)?.changed(change)
    }
    if !lookers.isEmpty { look() }
    while let next = rest.popLast() { next() }
    if !kept.isEmpty { releaseOrphans() }
  }

  /// Brings the changes that there are, in this job.
  ///
  /// Nothing in the middle of a delivery, which has taken changes that it has not brought yet.
  func deliverNow() {
    if !isDelivering { deliver(group.takeChanges()) }
  }

  /// A member has looked for itself: what this delivery has taken for it before is not brought.
  static func overtake(_ position: Int, in group: ObservationGroup) {
    if let delivering, delivering.group === group { delivering.overtaken.insert(position) }
  }

  private func look() {
    for (id, looker) in lookers where looker.object?.look() != true { lookers[id] = nil }
  }

  /// Lets an object look at each delivery, so that what it shows and what the members show change
  /// in the same job.
  func add(_ looker: any PumpLooker) {
    lookers[ObjectIdentifier(looker)] = Looker(object: looker)
  }

  /// Adds something to do when all changes of this delivery have been brought: what several of them
  /// concern is done once.
  func afterwards(_ action: @escaping @MainActor () -> Void) { rest.append(action) }

  /// Keeps a member until it is released, or its owner is gone.
  func retain(_ member: any OwnedMember) {
    releaseOrphans()
    kept[ObjectIdentifier(member)] = member
  }

  func release(_ member: any OwnedMember) { kept[ObjectIdentifier(member)] = nil }

  private func releaseOrphans() {
    for member in kept.values where member.isOrphan { member.cancel() }
  }

  private func member(at position: Int) -> (any PumpMember)? {
    // In place: a weak reference is expensive to copy.
    slots.withUnsafeBufferPointer { $0[position].member }
  }

  /// Tells an object of the changes at a position from now on, until it is released.
  func tell(_ member: any PumpMember, of position: Int) {
    while slots.count <= position { slots.append(Slot()) }
    slots[position].member = member
  }
}
