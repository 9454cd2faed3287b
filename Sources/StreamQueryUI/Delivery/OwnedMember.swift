/// A member of a ``Pump`` that lasts as long as another object.
@MainActor
protocol OwnedMember: PumpMember {
  /// Whether that object is gone.
  var isOrphan: Bool { get }

  /// Ends the observation.
  func cancel()
}
