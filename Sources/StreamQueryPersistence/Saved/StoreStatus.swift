internal import StreamQuery
internal import Synchronization

/// The state of a store that a client uses, for developer tools.
@_spi(Adapters) public struct StoreStatus: Sendable {
  /// The kind of data that a client has in a store.
  public enum Content: Hashable, Sendable {
    /// The data of queries.
    case queries
    /// The runs of the outbox.
    case runs
  }

  /// The state of the store: whether it can be used, and if not, why.
  public enum State: Sendable {
    /// The store has not been read yet.
    case reading
    /// The last read of the store failed; the store is read again.
    case failing(QueryStoreError)
    /// The store was read, and changes are written to it.
    case open
    /// The store cannot be used any more.
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
  /// The client's part of the store.
  public var partition: StorePartition
  /// The kind of data that the client has in the store.
  public var content: Content
  /// The state of the store: whether it can be used, and if not, why.
  public var state: State
  /// The number of records in the client's part.
  public var recordCount: Int
  /// The number of changes that the store does not have yet; it may be too low while the cache gathers
  /// changes.
  public var pendingCount: Int
  /// The error of the last round of writing; `nil` if that round succeeded, or if there was none yet.
  public var writeError: QueryStoreError?

  /// The type of the store, with the name of its directory if it is a ``FileStore``: `FileStore cache`.
  ///
  /// The name has no path, which could tell the name of a user.
  public var name: String { store.shownName }
}

extension QueryStore {
  /// The type of the store, with the name of its directory if it is a ``FileStore``, for developer tools.
  ///
  /// The name has no path, which could tell the name of a user.
  var shownName: String {
    let directory = (self as? FileStore)?.directory.split(separator: "/").last
    return "\(type(of: self))" + (directory.map { " \($0)" } ?? "")
  }
}

extension StorePersister {
  /// The states of the stores, in the order of their first uses.
  var statuses: [StoreStatus] {
    state.withLock { state in
      // The cache gathers changes of all stores together, so their number for one store is not known.
      let isGathering = state.stores.count == 1 && state.journal?.hasChanges == true
      return state.ids.compactMap { id in
        state.stores[id].map { session in
          StoreStatus(
            store: session.settings.store,
            partition: id.partition,
            content: .queries,
            state: StoreStatus.State(session.records.phase, session.readError),
            recordCount: session.records.records.count,
            pendingCount: max(session.records.pendingCount, isGathering ? 1 : 0),
            writeError: session.writer.roundError
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
