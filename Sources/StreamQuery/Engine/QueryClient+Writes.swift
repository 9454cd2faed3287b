#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

nonisolated extension QueryClient {
  /// The entries of a value type that a filter selects, with the data of stores for entries that
  /// have none.
  func entries<Value: Sendable>(
    matching filter: QueryFilter,
    of type: Value.Type
  ) -> [QueryInfo] {
    func present() -> [QueryInfo] {
      infos(filter).filter {
        $0.entryKey.valueTypeID == ObjectIdentifier(type) && !isUpdating($0.entryKey)
      }
    }
    let found = present()
    guard persisters.persister != nil else { return found }
    let restored = found.filter { info in
      info.snapshot.base == nil && restoring(info.entryKey, QueryDefinition(of: type)) != nil
    }
    return restored.isEmpty ? found : present()
  }

  /// Changes cached data in place, or defers the change until the store of the key has been read.
  ///
  /// - Parameters:
  ///   - key: The key whose data changes.
  ///   - terms: The retention, the persistence and the metadata of the query that is written to.
  ///   - updatedAt: The date of the written data.
  ///   - fencing: Whether a fetch in flight is discarded.
  ///   - marksNew: Whether the written data is marked as invalidated if there was no cached data.
  ///   - hasWaited: Whether this call makes an update that has waited for the store.
  ///   - update: Changes the data.
  /// - Returns: The data that was written; `nil` if nothing was written, or if the update waits.
  /// - Throws: The closure's error; in that case nothing is written.
  func update<Value, Failure: Error>(
    _ key: QueryKey<Value>,
    _ terms: WriteTerms,
    updatedAt: Date?,
    fencing: Bool,
    marksNew: Bool = false,
    hasWaited: Bool = false,
    _ update: @escaping @Sendable (inout Value?) throws(Failure) -> Void
  ) throws(Failure) -> Value? {
    let entryKey = EntryKey(key)
    guard !isUpdating(entryKey) else { return nil }
    guard hasWaited || !mustWait(entryKey, terms.persistence) else {
      deferUpdate(
        entryKey,
        terms,
        updatedAt: updatedAt?.timeIntervalSinceReferenceDate,
        fencing: fencing,
        marksNew: marksNew,
        update
      ) {
        _ = try? $0.update(
          key,
          terms,
          updatedAt: updatedAt,
          fencing: fencing,
          marksNew: marksNew,
          hasWaited: true,
          update
        )
      }
      return nil
    }
    let written = try updateNow(
      entryKey,
      terms,
      updatedAt: updatedAt?.timeIntervalSinceReferenceDate,
      fencing: fencing,
      marksNew: marksNew,
      hasWaited: hasWaited,
      update
    )
    if hasWaited { deferredWriteMade(of: entryKey) }
    return written
  }

  /// Writes a boxed value.
  @usableFromInline
  func write(
    _ box: ValueBox,
    _ type: any Any.Type,
    for key: AnyQueryKey,
    of definition: QueryDefinition? = nil,
    updatedAt: Date?,
    fencing: Bool
  ) {
    let key = EntryKey(key, valueType: type)
    guard !isUpdating(key) else { return }
    if mayDeferWrites { dropDeferredWrites(of: key) }
    let date = updatedAt?.timeIntervalSinceReferenceDate
    let terms = WriteTerms(definition)
    // Usually the entry exists, so that no query has to be made.
    commit(asking: { .answer($0 == 1 ? nil : bare(key, for: box, terms)) }) {
      query,
      _,
      state,
      transaction in
      guard !state.isShutDown else { return () }
      guard let index = state.writtenEntry(key, query, terms, &transaction) else { return nil }
      state.write(box, index, updatedAt: date, fencing: fencing, &transaction)
      return ()
    }
  }
}
