/// Where a client keeps the runs of durable mutations until they are sent.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.outbox = OutboxConfiguration(in: store, mutations: [Mutation.rename().durable()])
/// let client = QueryClient(configuration: configuration)
/// ```
///
/// The records of earlier processes are read when the client is made, and sent in their order. A
/// record is sent when its mutation is known: one that is given here, or to
/// ``Outbox/register(_:)``, or that was run since. Until then it waits, and so do later
/// durable runs of its scope.
///
/// Clients of one process that share a store object share no record: each sends what it wrote, or
/// found first. Two processes, or two store objects on the same data, are not kept apart here: stores
/// such as ``FileStore`` refuse the second one. Servers recognise a request that arrives twice by its
/// ``/StreamQuery/MutationContext/idempotencyKey``.
public struct OutboxConfiguration: Sendable {
  /// Where the runs are kept.
  public var store: any QueryStore
  /// The part of the store; `nil` is that of the client, see
  /// ``StreamQuery/QueryClient/Configuration/partition``.
  ///
  /// To wipe the partition erases queries and runs, as the end of an account does: ``QueryAccounts``.
  public var partition: StorePartition?
  /// The durable mutations that are known from the beginning.
  public var mutations: [any DurableMutation]
  /// How long runs that are not durable wait for the store to be read; ten seconds by default.
  ///
  /// They wait if the store may have a durable run of their scope, and then go on without the store.
  /// Durable runs wait for as long as it takes. More than 100 years are for ever.
  public var restoreTimeout: Duration

  /// Creates an outbox.
  ///
  /// - Parameters:
  ///   - store: Where the runs are kept.
  ///   - partition: The part of the store; `nil` is that of the client.
  ///   - mutations: The durable mutations that are known from the beginning.
  ///   - restoreTimeout: How long runs that are not durable wait for the store to be read.
  public init(
    in store: any QueryStore,
    partition: StorePartition? = nil,
    mutations: [any DurableMutation] = [],
    restoreTimeout: Duration = .seconds(10)
  ) {
    self.store = store
    self.partition = partition
    self.mutations = mutations
    self.restoreTimeout = restoreTimeout
  }
}
