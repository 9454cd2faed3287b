internal import StreamQuery

/// A caller that waits until a store is written.
struct PendingSave: Sendable {
  /// Gets the error of writing; `nil` if the store was written, or if the caller gave up.
  typealias Answer = SharedOneShot<QueryStoreError?>

  let store: any QueryStore
  let partition: StorePartition
  let answer = Answer()
}
