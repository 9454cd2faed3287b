@_spi(Adapters) internal import StreamQuery

/// An object to which a ``Pump`` brings changes.
@MainActor
protocol PumpMember: ErasureMember {
  func changed(_ change: ObservationChange)
}
