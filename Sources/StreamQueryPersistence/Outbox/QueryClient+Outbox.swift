public import StreamQuery

extension QueryClient.Configuration {
  /// The settings for keeping runs of durable mutations until they are sent; `nil`, the default, keeps none,
  /// and durable mutations fail.
  public var outbox: OutboxConfiguration? {
    get { (keeping.runs as? OutboxMaking)?.outbox }
    set { keeping.runs = newValue.map(OutboxMaking.init) }
  }
}

/// Makes the outbox of a client.
struct OutboxMaking: DurableRunMaking {
  let outbox: OutboxConfiguration

  func makeDurableRuns(_ configuration: QueryClient.Configuration) -> any DurableRuns {
    OutboxEngine(outbox, configuration)
  }
}

nonisolated extension QueryClient {
  /// The outbox of the client, see ``OutboxConfiguration``.
  public nonisolated var outbox: Outbox { Outbox(client: self) }
}
