/// A member of a ``MainActorDelivery`` that lasts as long as another object.
@MainActor
protocol OwnedMember: DeliveryMember {
  /// Whether the owner is gone.
  var isOrphan: Bool { get }

  /// Ends the observation.
  func cancel()
}
