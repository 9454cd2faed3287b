@_spi(Adapters) internal import StreamQuery

/// An object to which a ``MainActorDelivery`` brings changes.
@MainActor
protocol DeliveryMember: ErasureMember {
  func changed(_ change: ObservationChange)
}
