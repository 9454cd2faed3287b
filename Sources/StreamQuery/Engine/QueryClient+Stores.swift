// The client's side of stores and the outbox.

nonisolated extension QueryClient {
  /// The persister of the data of entries; `nil` if no query has needed it so far.
  package var persister: (any Persister)? { persisters.persister }

  /// The persister of the data of entries under a policy, made when it is first needed.
  package func persister(for policy: any PersistencePolicy) -> (any Persister)? {
    persisters.persister(for: policy)
  }

  /// The changes of persisted entries.
  package var journal: EntryJournal { EntryJournal(cache: cache) }

  /// Lets adapters forget the data of an erased client.
  package func forgetShown() async { await erasure.performActions() }

  /// The cached entries that a filter selects: the key of each, whether it is observed, whether a store keeps
  /// its data, and whether it has data.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - asking: Whether the filter's predicates are evaluated; if not, they hold for every entry.
  /// - Returns: The entries.
  package func cachedUses(
    _ filter: QueryFilter = .all,
    asking: Bool = true
  ) -> [(key: EntryKey, isObserved: Bool, isKept: Bool, hasData: Bool)] {
    search(asking ? filter : QueryFilter(filter.plainPart)) { state, index, _ in
      state.slots[index].key.map {
        (
          key: $0,
          isObserved: state.slots[index].isWatched,
          isKept: state.slots[index].query?.isPersisted == true,
          hasData: state.slots[index].machine.hasData
        )
      }
    }.compactMap(\.item)
  }

  /// Waits until the stores and the outbox have been told of all earlier work of this caller.
  ///
  /// Another thread may be about to tell the stores and the outbox.
  package func actionsPerformed() async {
    let reached = transaction { state, _ -> SharedOneShot<Void>? in
      guard state.actionQueue.othersPerform else { return nil }
      let reached = SharedOneShot<Void>()
      state.actionQueue.enqueue(.reached(reached))
      return reached
    }
    _ = await reached?.take(orGive: ())
    tellOfDeferredWrites()
  }

  /// Emits an event that does not come from a transaction.
  ///
  /// - Parameters:
  ///   - kind: The event.
  ///   - key: The entry or the mutation; `nil` if the whole store is concerned.
  ///   - store: The type of the store.
  ///   - partition: The part of the store.
  ///   - recordedName: The name of the store in a record; `nil` is the name of its type.
  package func emit(
    _ kind: QueryEvent.Kind,
    of key: EntryKey?,
    in store: Any.Type,
    _ partition: String,
    named recordedName: String? = nil
  ) {
    let name = "\(store)"
    let isOver = transaction { state, transaction -> Bool in
      if case .persistenceFailed(let error) = kind {
        state.recordFailure(of: key, in: recordedName ?? name, error, transaction)
      }
      guard state.emitsEvents else { return state.isShutDown }
      let now = transaction.environment.now
      var event = state.makeEvent(kind, key?.key ?? [], at: now, since: nil)
      event.failedStore = (name, partition)
      state.actionQueue.enqueue(.emit(event))
      return state.isShutDown
    }
    // A client that has ended keeps no errors, but the last write of a store may fail after that end.
    if isOver { releaseRecordedErrors() }
  }
}

extension QueryClient.Configuration {
  /// Lets the clients that are made with this configuration share their timers, and use no others.
  package mutating func shareDeadlines() {
    sharedDeadlines = Deadlines(clock: ErasedClock(ContinuousClock()), executor: executor)
  }
}

extension PersistedEntry {
  /// The policy for keeping the entry's data.
  package var policy: (any PersistencePolicy)? { query.resolved.persistence }
}
