/// Why ``StreamQuery/QueryClient/save()`` could not write all that has changed: which stores failed.
///
/// Every other store of the client was written. What failed is tried again later, unless the store
/// cannot be used any more.
public struct QuerySaveError: Error, Sendable, CustomStringConvertible {
  /// A store that could not be written.
  public struct Failure: Sendable {
    /// The store.
    public let store: any QueryStore
    /// The part of it.
    public let partition: StorePartition
    /// What is wrong with it.
    public let error: QueryStoreError
  }

  /// What failed, in the order in which the client first used the stores; never empty.
  public let failures: [Failure]

  /// Which stores failed, by their types, and what can be done about it.
  ///
  /// Partitions, which are often named after accounts, are in ``failures`` only.
  public var description: String {
    failures.map { "\(type(of: $0.store)): \($0.error)" }.joined(separator: "; ")
  }
}
