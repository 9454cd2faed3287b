/// A write that still waits when its client ends; the store gets what it makes of the kept data.
package struct LastWrite: Sendable {
  let write: DeferredWrites.Write
  /// Says how the data is kept.
  let query: ResolvedQuery

  package var key: EntryKey { write.key }
  package var definition: QueryDefinition { query.definition }
  package var policy: (any PersistencePolicy)? { query.persistence }
  /// Whether the call named no more than the key.
  package var isOfKeyAlone: Bool { write.definition.isOfKeyAlone }
  /// When the data of an import was current; `nil` for an update.
  package var importedAt: Double? { write.importedAt }
  /// Whether the key was invalidated after the call.
  package var isInvalidated: Bool { write.isInvalidated }

  /// Makes the write of the data that is kept.
  ///
  /// - Parameters:
  ///   - kept: The data.
  ///   - isInvalidated: Whether the key was invalidated since.
  ///   - number: A number that no other entry has.
  ///   - date: The time, in seconds since the reference date.
  /// - Returns: What the write leaves in an entry that is in no cache any more; `nil` if the store
  ///   keeps what it has.
  package func entry(
    from kept: KeptData?,
    isInvalidated: Bool,
    number: UInt64,
    at date: Double
  ) -> PersistedEntry? {
    guard let made = write.change(kept) else { return nil }
    let now = Timestamp(instant: Instant(nanoseconds: 0), date: date)
    let updatedAt = made.updatedAt.map(now.placing(date:)) ?? now
    var slot = EntrySlot()
    slot.key = key
    slot.query = query
    slot.machine = EntryMachine(at: now.instant)
    _ = slot.machine.written(
      updatedAt: updatedAt,
      isPart: made.isPart,
      fencing: false,
      in: Environment(now: now)
    )
    slot.data = made.box
    guard let info = slot.info(slot.makeSnapshot(version: 0), at: now.instant) else { return nil }
    let id = EntryID(index: 0, generation: number)
    var entry = PersistedEntry(id: id, info: info, query: query)
    entry.isInvalidated = made.isInvalidated || isInvalidated
    return entry
  }
}
