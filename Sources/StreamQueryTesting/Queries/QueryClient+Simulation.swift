public import StreamQuery

extension QueryClient {
  /// Creates a client that lives in a simulation: its clock, executor, chance and dates.
  ///
  /// It is always online and active unless told otherwise. What it leaves behind is part of the
  /// simulation's leak report. Once the simulation is gone, neither time nor signals reach it any more.
  ///
  /// ```swift
  /// let online = ManualSignal(true)
  /// let client = QueryClient(simulation: simulation) {
  ///   $0.connectivity = Connectivity { online }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - simulation: The world that the client lives in.
  ///   - configure: Changes the configuration further.
  public init(
    simulation: Simulation,
    configure: @Sendable (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive,
      clock: simulation.backgroundClock,
      executor: simulation.executor,
      randomness: { [weak simulation] in simulation?.nextRandom() ?? 0 },
      wallClock: { [weak simulation] in simulation?.date ?? Simulation.startDate }
    )
    configuration.operatorClock = simulation.clock
    configuration.mindsPriority = false
    configure(&configuration)
    self.init(configuration: configuration)
    simulation.register { [weak self] in
      self?.liveness ?? Liveness()
    } onEnd: { [weak self] in
      self?.stopWaiting()
    }
    simulation.registry.addClosing { [weak self] in self?.shutDown() }
  }
}
