@_spi(Adapters) public import StreamQuery

nonisolated extension QueryClient {
  /// Creates a client with the clock, executor, random numbers and dates of a simulation.
  ///
  /// Unless configured otherwise, the client is always online and active, and memory is never short. Its
  /// unfinished work is part of the simulation's leak report. After the simulation is released, the client
  /// gets neither time nor signals.
  ///
  /// ```swift
  /// let online = ManualSignal(true)
  /// let client = QueryClient(simulation: simulation) {
  ///   $0.connectivity = Connectivity { online }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - simulation: The simulation.
  ///   - configure: Changes the configuration further.
  public init(
    simulation: Simulation,
    configure: @Sendable (inout Configuration) -> Void = { _ in }
  ) {
    let configuration = Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive,
      memoryPressure: .none
    )
    self.init(simulation: simulation, configuration: configuration, configure: configure)
  }

  /// Creates a client in a simulation, with the configuration of an app or a server.
  ///
  /// Clock, executor, random numbers and dates become those of the simulation. The configuration decides
  /// whether the client is online and active, and whether memory is short.
  ///
  /// ```swift
  /// let client = QueryClient(simulation: simulation, configuration: .server)
  /// ```
  ///
  /// - Parameters:
  ///   - simulation: The simulation.
  ///   - base: The configuration.
  ///   - configure: Changes the configuration further.
  public init(
    simulation: Simulation,
    configuration base: Configuration,
    configure: @Sendable (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = base
    configuration.clock = simulation.backgroundClock
    configuration.executor = simulation.executor
    configuration.randomness = { [weak simulation] in simulation?.nextRandom() ?? 0 }
    configuration.wallClock = { [weak simulation] in simulation?.date ?? Simulation.startDate }
    configuration.operatorClock = simulation.clock
    configuration.mindsPriority = false
    // Advice is not logged, because the log of the process gives each advice once: the reports of a
    // simulation would depend on earlier simulations. `advice()` still works.
    configuration.adviceLog = nil
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
