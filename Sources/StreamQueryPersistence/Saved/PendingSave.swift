internal import StreamQuery

/// A caller that waits until a store is written.
struct PendingSave: Sendable {
  /// Takes why the store could not be written; `nil` if it was, or if the caller gave up.
  typealias Answer = SharedOneShot<QueryStoreError?>

  let store: any QueryStore
  let partition: StorePartition
  let answer = Answer()
}
