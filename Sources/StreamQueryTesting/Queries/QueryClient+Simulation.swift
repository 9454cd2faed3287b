public import StreamQuery

extension QueryClient {
  /// Creates a client in a simulation: with its clock, executor, random numbers and dates.
  ///
  /// It is always online and active, and memory is never short, unless configured otherwise.
  /// Anything that it leaves behind is part of the simulation's leak report. After the simulation is
  /// released, neither time nor signals reach it.
  ///
  /// ```swift
  /// let online = ManualSignal(true)
  /// let client = QueryClient(simulation: simulation) {
  ///   $0.connectivity = Connectivity { online }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - simulation: The simulation that the client lives in.
  ///   - configure: Changes the configuration further.
  public init(
    simulation: Simulation,
    configure: @Sendable (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive,
      memoryPressure: .none,
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
