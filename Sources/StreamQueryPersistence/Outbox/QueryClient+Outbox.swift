public import StreamQuery

extension QueryClient.Configuration {
  /// Where runs of durable mutations are kept until they are sent; `nil`, the default, keeps none, and
  /// durable mutations fail.
  public var outbox: OutboxConfiguration? {
    get { (keeping.runs as? OutboxMaking)?.outbox }
    set { keeping.runs = newValue.map(OutboxMaking.init) }
  }
}

/// Makes the outbox of a client.
struct OutboxMaking: RunKeeperMaking {
  let outbox: OutboxConfiguration

  func makeKeeper(_ configuration: QueryClient.Configuration) -> any RunKeeper {
    OutboxKeeper(outbox, configuration)
  }
}

extension QueryClient {
  /// What waits to be sent, see ``OutboxConfiguration``.
  public nonisolated var outbox: Outbox { Outbox(client: self) }
}
