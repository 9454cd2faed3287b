/// The settings for keeping the runs of durable mutations until they are sent.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.outbox = OutboxConfiguration(in: store, mutations: [Mutation.rename().durable()])
/// let client = QueryClient(configuration: configuration)
/// ```
///
/// The records of earlier processes are read when the client is made, and sent in their order. A
/// record is sent when its mutation is known: from here, from ``Outbox/register(_:)``, or from a
/// run since. Until then it waits, and so do later durable runs of its scope.
///
/// Clients of one process that share a store object share no record: each sends the records that it wrote, or
/// found first. Two processes, or two store objects on the same data, are not distinguished here: stores such
/// as ``FileStore`` refuse the second one. Servers recognise a request that arrives twice by its
/// ``/StreamQuery/MutationContext/idempotencyKey``.
public struct OutboxConfiguration: Sendable {
  /// The store of the runs.
  public var store: any QueryStore
  /// The part of the store; `nil` is the client's, see
  /// ``StreamQuery/QueryClient/Configuration/partition``.
  ///
  /// Wiping the partition erases queries and runs, as the end of an account does: ``QueryAccounts``.
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
  ///   - store: The store of the runs.
  ///   - partition: The part of the store; `nil` is the client's.
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
