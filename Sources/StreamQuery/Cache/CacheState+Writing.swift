// How data is written into entries.

extension CacheState {
  /// The entry of a key that is written to. It takes over the retention and the persistence of the
  /// query, if the caller has one.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - query: A query that was made outside the lock; `nil` if the caller has not made one.
  ///   - terms: The retention, the persistence and the metadata of the query that is written to.
  ///   - transaction: The transaction.
  /// - Returns: The entry; `nil` if a query has to be made first.
  // If this was not inlined, the index of all keys would be copied for each write.
  @inline(__always)
  mutating func writtenEntry(
    _ key: EntryKey,
    _ query: StoredQuery?,
    _ terms: WriteTerms,
    _ transaction: inout Transaction
  ) -> Int? {
    guard let index = find(key) else {
      if !terms.isEmpty, query == nil { return nil }
      return bareEntry(key, query, isPlain: terms.isEmpty, &transaction)
    }
    if let gcTime = terms.gcTime { keep(index, for: gcTime) }
    let known = slots[index].query
    // An entry whose query neither fetches nor saves data was made by a write under a key alone, or by an
    // optimistic change. Such an entry may still take the options of this write; any other entry keeps those
    // of its query.
    let isPlain = known.map { !$0.canFetch && !$0.isPersisted } ?? false
    let isChanged = isPlain && (terms.persistence?.isOff == false || terms.hasMeta)
    let isSpecial = terms.persistence != nil || terms.hasMeta || defaults.isPersisting
    guard isChanged || known == nil && isSpecial else { return index }
    guard let query else { return nil }
    if query.isPersisted || terms.hasMeta { adopt(index, query, &transaction) }
    return index
  }

  /// Makes the entry of a key that begins with a write.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - query: A query that was made outside the lock; `nil` if the caller has not made one.
  ///   - isPlain: Whether the write has no options, so that the entry begins with only its key.
  ///   - transaction: The transaction.
  /// - Returns: The entry; `nil` if a query has to be made first.
  private mutating func bareEntry(
    _ key: EntryKey,
    _ query: StoredQuery?,
    isPlain: Bool,
    _ transaction: inout Transaction
  ) -> Int? {
    // All keys of a value type begin with the same query, except those that have defaults of their
    // own.
    let isOrdinary = isPlain && !defaults.isSpecial(key.key)
    if let query {
      if isOrdinary, !query.isPersisted, query.storedDefaults === defaults {
        bareQueries[key.valueTypeID] = query
      }
      return entry(key, query, &transaction)
    }
    return isOrdinary ? bareQueries[key.valueTypeID].map { entry(key, $0, &transaction) } : nil
  }

  mutating func write(
    _ box: ValueBox,
    _ index: Int,
    updatedAt: Double?,
    fencing: Bool,
    _ transaction: inout Transaction
  ) {
    if fencing { announce(.fenced(index), &transaction) }
    put(box, index, by: .caller, updatedAt: updatedAt, fencing: fencing, &transaction)
  }

  /// Invalidates written data, because the write changed a default value and not data from the server.
  ///
  /// A running fetch may still bring newer data.
  mutating func doubt(_ index: Int, _ transaction: inout Transaction) {
    emit(.invalidated, index, transaction)
    input(index, &transaction) { $0.invalidated(isJoining: true, isDoubt: true, in: $1) }
    announce(.invalidated(index), &transaction)
  }

  /// Puts data into an entry.
  ///
  /// - Parameters:
  ///   - box: The data.
  ///   - index: The entry.
  ///   - writer: The origin of the write.
  ///   - updatedAt: The time when the data was current; `nil` is now.
  ///   - isPart: Whether the data is a part of a streamed value.
  ///   - fencing: Whether the write ends a fetch in flight, so that its answer cannot replace the data.
  ///   - transaction: The transaction.
  mutating func put(
    _ box: ValueBox,
    _ index: Int,
    by writer: InFlight.Writer,
    updatedAt: Double?,
    isPart: Bool = false,
    fencing: Bool,
    _ transaction: inout Transaction
  ) {
    noteUse(of: index)
    slots[index].forgetReason(&transaction)
    if slots[index].isLayered { writeOnLayers(index, &transaction) }
    slots[index].store(box, &transaction)
    emit(.written, index, transaction)
    let stamp =
      updatedAt.map(transaction.environment.now.placing(date:)) ?? transaction.environment.now
    input(index, &transaction) {
      $0.written(by: writer, updatedAt: stamp, isPart: isPart, fencing: fencing, in: $1)
    }
  }
}
