internal import StreamQuery
internal import Synchronization

/// The state of a store that a client uses, for developer tools.
@_spi(Adapters) public struct StoreStatus: Sendable {
  /// The kinds of data that a client keeps.
  public enum Content: Hashable, Sendable {
    /// The data of queries.
    case queries
    /// The runs of the outbox.
    case runs
  }

  /// Whether the store can be used.
  public enum State: Sendable {
    /// It has not been read yet.
    case reading
    /// The last read has failed; it is read again.
    case failing(QueryStoreError)
    /// It was read, and changes are written to it.
    case open
    /// It cannot be used any more.
    case closed(QueryStoreError)

    init(_ phase: StoreWriter.Phase, _ readError: QueryStoreError?) {
      self =
        switch phase {
        case .loading: readError.map(State.failing) ?? .reading
        case .open: .open
        case .closed(let error): .closed(error)
        }
    }
  }

  /// The store.
  public var store: any QueryStore
  /// The client's part of it.
  public var partition: StorePartition
  /// The kind of data that the client keeps there.
  public var content: Content
  /// Whether it can be used.
  public var state: State
  /// The number of records of the client's part.
  public var recordCount: Int
  /// The number of changes that the store does not have yet, or less while they are gathered.
  public var pendingCount: Int
}

extension StorePersister {
  /// The states of the stores, in the order of their first uses.
  var statuses: [StoreStatus] {
    state.withLock { state in
      // Only the cache knows how many it gathers, and for which store.
      let isGathering = state.stores.count == 1 && state.journal?.hasChanges == true
      return state.ids.compactMap { id in
        state.stores[id].map { session in
          StoreStatus(
            store: session.settings.store,
            partition: id.partition,
            content: .queries,
            state: StoreStatus.State(session.records.phase, session.readError),
            recordCount: session.records.records.count,
            pendingCount: max(session.records.pendingCount, isGathering ? 1 : 0)
          )
        }
      }
    }
  }
}

extension SavedRecords {
  /// The number of changes that the store does not have yet.
  fileprivate var pendingCount: Int {
    pendingChanges.count + encoding.count + unwritten.count + underWay.count
  }
}
