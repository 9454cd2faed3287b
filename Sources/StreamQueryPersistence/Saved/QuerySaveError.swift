/// The error of ``StreamQuery/QueryClient/save()`` when some changes could not be written, with the stores
/// that failed.
///
/// All other stores of the client were written. Changes that failed are written again later, unless the store
/// cannot be used any more.
public struct QuerySaveError: Error, Sendable, CustomStringConvertible {
  /// A store that could not be written.
  public struct Failure: Sendable {
    /// The store.
    public let store: any QueryStore
    /// The part of the store.
    public let partition: StorePartition
    /// The error of the store.
    public let error: QueryStoreError
  }

  /// The failures, in the order in which the client first used the stores; never empty.
  public let failures: [Failure]

  /// A description of the failed stores, by their types, with advice.
  ///
  /// The description does not name partitions, which are often named after accounts; ``failures`` does.
  public var description: String {
    failures.map { "\(type(of: $0.store)): \($0.error)" }.joined(separator: "; ")
  }
}
