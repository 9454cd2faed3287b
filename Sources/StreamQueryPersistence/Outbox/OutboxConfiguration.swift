/// The settings for keeping the runs of durable mutations until they are sent.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.outbox = OutboxConfiguration(in: store, mutations: [Mutation.rename().durable()])
/// let client = QueryClient(configuration: configuration)
/// ```
///
/// The client reads the records of earlier processes when it is created, and sends them in their order. A
/// record is sent when its mutation is known: from `mutations`, from ``Outbox/register(_:)``, or from a later
/// run. Until then the record waits, and so do later durable runs of its scope.
///
/// Clients of one process that share a store object share no record: each sends the records that it wrote, or
/// found first. The outbox does not notice a second process, or a second store object on the same data:
/// stores such as ``FileStore`` refuse it. Servers recognize a request that arrives twice by its
/// ``/StreamQuery/MutationContext/idempotencyKey``.
public struct OutboxConfiguration: Sendable {
  /// The store in which the runs are kept.
  public var store: any QueryStore
  /// The part of the store in which the runs are kept; `nil` means the client's part, see
  /// ``StreamQuery/QueryClient/Configuration/partition``.
  ///
  /// If the part is wiped, its queries and runs are erased, as at the end of an account, see
  /// ``QueryAccounts``.
  public var partition: StorePartition?
  /// The durable mutations that are known from the beginning.
  public var mutations: [any DurableMutation]
  /// How long runs that are not durable wait for the store to be read; ten seconds by default.
  ///
  /// A run waits if the store may have an earlier durable run of its scope. After this time the run goes on
  /// without the store, and ``StreamQuery/QueryClient/restore()`` throws. Durable runs wait without a limit;
  /// while they do, ``StreamQuery/QueryClient/save()`` throws, too. A time of more than 100 years means no
  /// limit.
  public var restoreTimeout: Duration

  /// Creates an outbox.
  ///
  /// - Parameters:
  ///   - store: The store in which the runs are kept.
  ///   - partition: The part of the store; `nil` means the client's part.
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
