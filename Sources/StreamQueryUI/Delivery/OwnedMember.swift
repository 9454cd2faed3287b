/// A member of a ``Pump`` that lasts as long as another object.
@MainActor
protocol OwnedMember: PumpMember {
  /// Whether the owner is gone.
  var isOrphan: Bool { get }

  /// Ends the observation.
  func cancel()
}
