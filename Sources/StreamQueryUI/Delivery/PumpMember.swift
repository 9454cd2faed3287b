internal import StreamQuery

/// What a ``Pump`` brings changes to.
@MainActor
protocol PumpMember: AnyObject {
  func changed(_ change: ObservationChange)
}
