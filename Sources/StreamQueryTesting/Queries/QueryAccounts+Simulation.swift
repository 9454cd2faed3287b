public import StreamQuery
public import StreamQueryPersistence

extension QueryAccounts {
  /// Creates accounts with clients in a simulation, see ``StreamQuery/QueryClient``.
  ///
  /// - Parameters:
  ///   - stores: All stores in which queries of accounts are saved.
  ///   - simulation: The simulation.
  ///   - configure: Changes the configuration of an account's client, given the account's name. The partition
  ///     is set after that, so the closure cannot change it.
  public convenience init(
    in stores: any QueryStore...,
    simulation: Simulation,
    configure: @escaping @Sendable (String, inout QueryClient.Configuration) -> Void = { _, _ in }
  ) {
    self.init(in: stores, simulation, configure) { QueryClient(simulation: $0, configure: $1) }
  }

  /// Creates accounts with clients in a simulation and the configuration of an app or a server.
  ///
  /// ```swift
  /// let tenants = QueryAccounts(
  ///   simulation: simulation, configuration: .server)
  /// ```
  ///
  /// - Parameters:
  ///   - stores: All stores in which queries of accounts are saved.
  ///   - simulation: The simulation.
  ///   - base: The configuration of the clients of all accounts.
  ///   - configure: Changes the configuration of an account's client, given the account's name. The partition
  ///     is set after that, so the closure cannot change it.
  public convenience init(
    in stores: any QueryStore...,
    simulation: Simulation,
    configuration base: QueryClient.Configuration,
    configure: @escaping @Sendable (String, inout QueryClient.Configuration) -> Void = { _, _ in }
  ) {
    self.init(in: stores, simulation, configure) {
      QueryClient(simulation: $0, configuration: base, configure: $1)
    }
  }

  private convenience init(
    in stores: [any QueryStore],
    _ simulation: Simulation,
    _ configure: @escaping @Sendable (String, inout QueryClient.Configuration) -> Void,
    makeClient:
      @escaping @Sendable (
        Simulation, @Sendable (inout QueryClient.Configuration) -> Void
      ) -> QueryClient
  ) {
    self.init(in: stores, executor: simulation.executor) { [weak simulation] name, place in
      guard let simulation else {
        // Nobody uses the returned client, because no code that waits for it runs after the simulation's end.
        return QueryClient(configuration: .server)
      }
      return makeClient(simulation) { configuration in
        configure(name, &configuration)
        place.set(in: &configuration)
      }
    }
  }
}
