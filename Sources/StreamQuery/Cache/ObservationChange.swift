/// The newest snapshot of one member of an ``ObservationGroup``.
public struct ObservationChange: Sendable {
  /// Where the member is in its group.
  public let position: Int

  let id: ObserverID
  /// `nil` if the observation has ended.
  let seen: (snapshot: EntrySnapshot, flags: QueryFlags)?

  /// Whether the observation has ended, for example by a shutdown of the client.
  ///
  /// The position stays in use until it is removed.
  public var isOver: Bool { seen == nil }
}
