public import StreamQuery

extension QueryClient.Configuration {
  /// The settings for storing the runs of durable mutations until they are sent; with `nil`, the default,
  /// durable mutations fail.
  public var outbox: OutboxConfiguration? {
    get { (keeping.runs as? OutboxMaking)?.outbox }
    set { keeping.runs = newValue.map(OutboxMaking.init) }
  }
}

/// Makes a client's outbox from its settings.
struct OutboxMaking: DurableRunMaking {
  let outbox: OutboxConfiguration

  func makeDurableRuns(_ configuration: QueryClient.Configuration) -> any DurableRuns {
    OutboxEngine(outbox, configuration)
  }
}

nonisolated extension QueryClient {
  /// The outbox of the client, see ``OutboxConfiguration``.
  public nonisolated var outbox: Outbox { Outbox(client: self) }

  /// The states of the stores that the client uses: the stores of queries, in the order of their first uses,
  /// and then the store of the outbox.
  @_spi(Adapters) public nonisolated var storeStatuses: [StoreStatus] {
    let queries = (persister as? StorePersister)?.statuses ?? []
    let runs = (durableRuns as? OutboxEngine)?.status
    return queries + [runs].compactMap(\.self)
  }
}

extension OutboxEngine {
  /// The state of the outbox's store.
  var status: StoreStatus {
    update { state in
      StoreStatus(
        store: store,
        partition: partition,
        content: .runs,
        state: StoreStatus.State(state.ledger.phase, state.loadError),
        recordCount: state.ledger.count,
        pendingCount: state.pendingCount,
        writeError: state.writer.roundError
      )
    }
  }
}
