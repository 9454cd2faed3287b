/// What an observer that left had asked for.
///
/// An object, because most subscriptions never need room for it.
final class DetachedObserver: Sendable {
  let key: EntryKey
  let query: StoredQuery?
  let resolvedOptions: ResolvedObserverOptions
  let settledBase: SettledCounts

  init(of observer: Observer, on key: EntryKey) {
    self.key = key
    query = observer.query
    resolvedOptions = observer.resolvedOptions
    settledBase = observer.settledBase
  }

  init(_ former: DetachedObserver, asking resolvedOptions: ResolvedObserverOptions) {
    key = former.key
    query = former.query
    self.resolvedOptions = resolvedOptions
    settledBase = former.settledBase
  }
}

extension EntryEnd {
  /// The flags for an observer that left.
  func flags(for observer: DetachedObserver, at now: Instant) -> QueryFlags {
    machine.flags(for: observer.resolvedOptions, since: observer.settledBase, at: now)
  }
}
