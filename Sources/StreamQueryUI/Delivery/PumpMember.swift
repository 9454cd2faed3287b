internal import StreamQuery

/// What a ``Pump`` brings changes to.
@MainActor
protocol PumpMember: ErasureMember {
  func changed(_ change: ObservationChange)
}
