/// Names one member of an ``ObservationGroup``, with the type of its values: for adapters with many
/// members.
///
/// An observer can be asked for the same, but is an object of its own. Where a thousand members
/// change at once, most of the time goes to objects that have to be looked at.
///
/// ```swift
/// let group = ObservationGroup(client)
/// let observer = client.observer(of: .user(1))
/// let first = group.insert(observer)
/// let member = first.member(of: observer)
/// show(first.result(of: member)?.data)
/// for change in group.takeChanges() { show(change.result(of: member)?.data) }
/// ```
public struct ObservationMember<Value: Sendable>: Sendable {
  private let place: Int32
  private let id: ObserverID

  fileprivate init(_ position: Int, _ id: ObserverID) {
    place = Int32(truncatingIfNeeded: position)
    self.id = id
  }

  /// Creates the name of no member: no change is one of it.
  public init() { self.init(-1, ObserverID(index: -1, generation: .max)) }

  /// Where the member is in its group; -1 for no member.
  public var position: Int { Int(place) }

  fileprivate func isMember(of change: ObservationChange) -> Bool { change.id == id }
}

extension ObservationChange {
  /// Names the member that has changed.
  ///
  /// - Parameter observer: The observer at ``position``.
  /// - Returns: The member; no member for every other observer.
  public func member<Value>(of observer: QueryObserver<Value>) -> ObservationMember<Value> {
    id == observer.subscription.id ? ObservationMember(position, id) : ObservationMember()
  }

  /// The snapshot, with the type of its member.
  ///
  /// - Parameter member: The member at ``position``.
  /// - Returns: The snapshot; `nil` if the observation has ended, and for every other member.
  public func result<Value>(of member: ObservationMember<Value>) -> QueryResult<Value>? {
    guard let seen, member.isMember(of: self) else { return nil }
    return QueryResult(snapshot: seen.snapshot, flags: seen.flags)
  }

  /// Whether it is the end of a member's observation, for example by a shutdown of the client.
  ///
  /// - Parameter member: The member at ``position``.
  /// - Returns: Whether it is; `false` for every other member.
  public func ends<Value>(_ member: ObservationMember<Value>) -> Bool {
    isOver && member.isMember(of: self)
  }
}
