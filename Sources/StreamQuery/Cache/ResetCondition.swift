/// The dynamic options to evaluate before an entry is reset.
struct ResetCondition: Sendable {
  /// What one observer asks for after the reset.
  struct Answer: Sendable {
    var observer: ObserverID
    var query: StoredQuery
    var resolvedOptions: ResolvedObserverOptions
  }

  let entry: EntryID
  let revision: UInt32
  /// The entry as it will be, without the refetch.
  let info: QueryInfo
  /// The queries of the observers with dynamic options.
  let queries: [(ObserverID, StoredQuery)]
}
