@_spi(Adapters) public import StreamQuery

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
    let configuration = Configuration(
      connectivity: .alwaysOnline,
      activity: .alwaysActive,
      memoryPressure: .none
    )
    self.init(simulation: simulation, configuration: configuration, configure: configure)
  }

  /// Creates a client in a simulation that is otherwise configured as an app or a server is.
  ///
  /// Clock, executor, random numbers and dates become those of the simulation. Whether it is online
  /// and active, and whether memory is short, is what the configuration says.
  ///
  /// ```swift
  /// let client = QueryClient(simulation: simulation, configuration: .server)
  /// ```
  ///
  /// - Parameters:
  ///   - simulation: The simulation that the client lives in.
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
    // What one simulation reports must not depend on those before it; `advice()` still answers.
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
