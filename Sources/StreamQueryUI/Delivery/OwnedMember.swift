/// A member of a ``MainActorDelivery`` that observes as long as another object, its owner, exists.
@MainActor
protocol OwnedMember: DeliveryMember {
  /// Whether the owner was released.
  var isOrphan: Bool { get }

  /// Ends the observation.
  func cancel()
}
