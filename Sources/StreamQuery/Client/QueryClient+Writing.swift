#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

nonisolated extension QueryClient {
  /// Puts a value into the cache; every stream of the key shows it.
  ///
  /// A write counts as a success: it clears the error and the invalidation. A fetch in flight
  /// continues and may bring newer data from the server, unless the write discards it (`fencing`).
  ///
  /// If nobody uses the entry, its ``QueryOptions/gcTime`` begins again. A write does not postpone polling,
  /// unless it discards a fetch.
  ///
  /// The entry gets the ``QueryOptions/gcTime`` and the store of the query, and its meta as long as no query
  /// that can fetch is known. The entry does not take over the query's fetch.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - query: The query to write to.
  ///   - updatedAt: When the value was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded.
  @inlinable
  public nonisolated func setData<Value>(
    _ value: Value,
    for query: Query<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false
  ) {
    write(
      TypedBox(value),
      Value.self,
      for: query.key.erased,
      of: query.definition,
      updatedAt: updatedAt,
      fencing: fencing
    )
  }

  /// Puts a value into the cache; every stream of the key shows it.
  ///
  /// The write has the effects of ``setData(_:for:updatedAt:fencing:)-(_,Query<Value>,_,_)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key to write to.
  ///   - updatedAt: When the value was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded.
  @_disfavoredOverload
  @inlinable
  public nonisolated func setData<Value>(
    _ value: Value,
    for key: QueryKey<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false
  ) {
    write(TypedBox(value), Value.self, for: key.erased, updatedAt: updatedAt, fencing: fencing)
  }

  /// Changes cached data in place.
  ///
  /// The closure gets the cached data without optimistic changes, or `nil`; if it leaves `nil`,
  /// nothing is written. It runs outside the lock. If the entry changes meanwhile, it runs again,
  /// so no update is lost. It must not write the same key itself: such a write is reported to
  /// ``Configuration/onMisuse`` and ignored.
  ///
  /// While a store has not answered for the query, the update waits. The call returns `nil`, and the closure,
  /// which is `Sendable` for that reason, runs on the stored data as soon as that arrives, before observers
  /// see the data. If the closure throws then, nothing is written and the error is lost. To know the outcome,
  /// await `restore()` or a fetch first.
  ///
  /// Updates that wait keep their order. Changes of the query meanwhile count as later:
  ///
  /// - A write replaces an update. An answer replaces it too, unless the update is `fencing`.
  /// - A removal or a reset ends an update.
  /// - An invalidation marks the data that an update will write.
  ///
  /// If more than 10,000 updates wait, the oldest is given up and reported to
  /// ``Configuration/onMisuse``.
  ///
  /// A fetch in flight continues, and its answer replaces the written data. If the answer may be
  /// older than the update, discard the fetch with `fencing`: it ends, and its callers get the
  /// written data.
  ///
  /// ```swift
  /// client.updateData(for: .user(42)) { user in user?.name = "Ada" }
  /// client.updateData(for: .user(42), fencing: true) { user in user?.name = "Ada" }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query whose data changes.
  ///   - updatedAt: When the written data was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded, if the closure writes anything.
  ///   - update: Changes the data.
  /// - Returns: The data that was written; `nil` if nothing was written, or if the update waits.
  /// - Throws: The closure's error; in that case nothing is written.
  @discardableResult
  public nonisolated func updateData<Value, Failure: Error>(
    for query: Query<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false,
    _ update: @escaping @Sendable (inout Value?) throws(Failure) -> Void
  ) throws(Failure) -> Value? {
    let terms = WriteTerms(query.definition)
    return try self.update(query.key, terms, updatedAt: updatedAt, fencing: fencing, update)
  }

  /// Changes cached data in place.
  ///
  /// - Parameters:
  ///   - key: The key whose data changes.
  ///   - updatedAt: When the written data was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether a fetch in flight is discarded, if the closure writes anything.
  ///   - update: Changes the data.
  /// - Returns: The data that was written; `nil` if nothing was written, or if the update waits.
  /// - Throws: The closure's error; in that case nothing is written.
  @_disfavoredOverload
  @discardableResult
  public nonisolated func updateData<Value, Failure: Error>(
    for key: QueryKey<Value>,
    updatedAt: Date? = nil,
    fencing: Bool = false,
    _ update: @escaping @Sendable (inout Value?) throws(Failure) -> Void
  ) throws(Failure) -> Value? {
    try self.update(key, WriteTerms(nil), updatedAt: updatedAt, fencing: fencing, update)
  }

  // MARK: Data that matches

  /// Changes the data of all entries of one value type that match a filter, in one transaction.
  ///
  /// The closure runs outside the lock. If one of the entries changes meanwhile, it runs again for
  /// all of them. It must not write any of these entries itself: such a write is reported to
  /// ``Configuration/onMisuse`` and ignored.
  ///
  /// The update of an entry without data waits until its store has answered, as with
  /// ``updateData(for:updatedAt:fencing:_:)-(Query<Value>,_,_,_)``: the closure then runs on the stored data,
  /// even if the filter would not match any more. The result does not count that entry.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - type: The value type.
  ///   - updatedAt: When the written data was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether fetches in flight of the written entries are discarded.
  ///   - update: Changes the data, which is `nil` if there is none; if it leaves `nil`, nothing is
  ///     written to that entry.
  /// - Returns: The number of entries that were written.
  @discardableResult
  public nonisolated func updateData<Value: Sendable>(
    matching filter: QueryFilter,
    of type: Value.Type,
    updatedAt: Date? = nil,
    fencing: Bool = false,
    _ update: @escaping @Sendable (QueryKey<Value>, inout Value?) -> Void
  ) -> Int {
    let date = updatedAt?.timeIntervalSinceReferenceDate
    var waiting: [QueryKey<Value>] = []
    func writes(_: Int) -> CommitAnswer<[(key: EntryKey, old: ValueBox?, new: ValueBox)], Int> {
      waiting = []
      var present: [QueryInfo] = []
      for info in entries(matching: filter, of: type) {
        if info.snapshot.base == nil, mustWait(info.entryKey) {
          waiting.append(QueryKey(info.key))
        } else if info.snapshot.base != nil
          || !hidesKeptData(info.entryKey, QueryDefinition(of: type))
        {
          present.append(info)
        }
      }
      // All entries are written in one transaction. If the update of one entry wrote another, the
      // new value of that other entry would be outdated.
      let keys = Set(present.map(\.entryKey))
      var writes: [(key: EntryKey, old: ValueBox?, new: ValueBox)] = []
      for info in present {
        var value = info.snapshot.base?.value(as: Value.self)
        UpdateChain.run(info.entryKey, keys, of: self) { update(QueryKey(info.key), &value) }
        if let value { writes.append((info.entryKey, info.snapshot.base, TypedBox(value))) }
      }
      return .answer(writes)
    }
    let count = commit(asking: writes) { writes, _, state, transaction -> Int? in
      var indices: [Int] = []
      for write in writes {
        // An entry that was removed and made again is another entry.
        guard let index = state.find(write.key), state.slots[index].data === write.old
        else { return nil }
        indices.append(index)
      }
      for (write, index) in zip(writes, indices) {
        state.write(write.new, index, updatedAt: date, fencing: fencing, &transaction)
      }
      return writes.count
    }
    for key in waiting {
      _ = self.update(key, WriteTerms(nil), updatedAt: updatedAt, fencing: fencing) {
        update(key, &$0)
      }
    }
    return count
  }

  /// Changes the data of all entries of one value type that match a filter, without their keys.
  ///
  /// ```swift
  /// client.updateData(matching: .prefix("repos"), of: [Repo].self) { $0?.reverse() }
  /// ```
  ///
  /// Otherwise this is the same as ``updateData(matching:of:updatedAt:fencing:_:)``.
  ///
  /// - Parameters:
  ///   - filter: Selects the entries.
  ///   - type: The value type.
  ///   - updatedAt: When the written data was current; `nil` means now, and a future date counts as now.
  ///   - fencing: Whether fetches in flight of the written entries are discarded.
  ///   - update: Changes the data, which is `nil` if there is none; if it leaves `nil`, nothing is
  ///     written to that entry.
  /// - Returns: The number of entries that were written.
  @_documentation(visibility: internal)
  @discardableResult
  public nonisolated func updateData<Value: Sendable>(
    matching filter: QueryFilter,
    of type: Value.Type,
    updatedAt: Date? = nil,
    fencing: Bool = false,
    _ update: @escaping @Sendable (inout Value?) -> Void
  ) -> Int {
    updateData(matching: filter, of: type, updatedAt: updatedAt, fencing: fencing) { _, data in
      update(&data)
    }
  }
}
