public import StreamQuery
internal import Synchronization

// Changes that reach all machines.
extension SharedCache {
  /// Invalidates a query on all machines; machines that observe the query share one refetch.
  ///
  /// The invalidation takes effect on this machine at once. If the store does not accept it, or the caller is
  /// cancelled, the call throws. Then this cache remembers the invalidation and sends it again, as long as
  /// the cache lives; until the store accepts it, the other machines use their data until it is stale. If
  /// more than 100,000 invalidations wait, or 16 MB of their texts, one of the whole namespace replaces them.
  /// A key, a prefix or a tag that is too large for the store is not sent again.
  ///
  /// - Parameter query: The query; its form and its tags do not matter.
  /// - Throws: ``SharedCacheError``.
  public func invalidate<Value>(_ query: Query<Value>) async throws(SharedCacheError) {
    let text = try keyText(query.key.canonicalText)
    try await invalidate([names.mark(ofKey: text)], alsoOf: .query(query))
  }

  /// Invalidates all shared queries whose keys begin with some parts, on all machines.
  ///
  /// - Parameter prefix: The parts; here, records match as a whole and not by subset.
  /// - Throws: ``SharedCacheError``.
  public func invalidate(prefix: AnyQueryKey) async throws(SharedCacheError) {
    let text = try keyText(prefix.canonicalText)
    try await invalidate([names.mark(ofPrefix: text)])
  }

  /// Invalidates all queries that are shared with one of some tags, on all machines.
  ///
  /// - Parameter tags: The tags.
  /// - Throws: ``SharedCacheError``.
  public func invalidate(tags: String...) async throws(SharedCacheError) {
    try await invalidate(tags: tags)
  }

  /// Invalidates all queries that are shared with one of some tags, on all machines.
  ///
  /// - Parameter tags: The tags; with none, nothing happens.
  /// - Throws: ``SharedCacheError``.
  public func invalidate(tags: [String]) async throws(SharedCacheError) {
    guard !tags.isEmpty else { return }
    try await invalidate(tags.map(names.mark(ofTag:)))
  }

  /// Not available: the name is ``write(_:for:)``, which is asynchronous and can fail.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - query: The query.
  @_documentation(visibility: internal)
  @available(*, unavailable, renamed: "write(_:for:)")
  public func setData<Value: Codable>(_ value: Value, for query: Query<Value>) {}

  private func invalidate(
    _ marks: [SharedMark],
    alsoOf local: QueryFilter? = nil
  ) async throws(SharedCacheError) {
    // Observers refetch only after the store has accepted the change, so that they do not get the
    // old entry.
    apply(refetch: .never) { $0.suspected(marks) }
    markLocal(local, marks, refetch: .never)
    let outcome = await send(parts: [marks])
    guard let error = outcome.error else { return markLocal(local, marks) }
    apply { $0.suspected(outcome.unsent + outcome.tooLarge) }
    markLocal(local, marks)
    keepUnsent(outcome.unsent, after: error)
    throw .store(error)
  }

  /// Marks data that only the client has as invalidated.
  ///
  /// This cache has neither fetched nor written such data, so its table does not know it. A fetch under way
  /// is joined, as in ``apply(refetch:_:)``.
  ///
  /// - Parameters:
  ///   - filter: The query; `nil` if the invalidation is of a prefix or tags, and then nothing is marked.
  ///   - marks: The query's marks. If this cache knows data with one of them, nothing is marked here.
  ///   - refetch: Whether the data is refetched at once.
  private func markLocal(
    _ filter: QueryFilter?,
    _ marks: [SharedMark],
    refetch: RefetchScope = .active
  ) {
    guard let filter, !locked({ $0.table.isWatched(oneOf: marks) }) else { return }
    client?.markInvalidated(filter, refetch: refetch, superseding: false)
  }

  /// Writes a value of a shared query, here and on all machines.
  ///
  /// The answers of fetches under way are not stored any more, on any machine. If the store does not
  /// accept the value, this machine's data stays, and is marked as invalidated, because the other machines
  /// may have got the value. The query's invalidation is sent to them later, as by ``invalidate(_:)``.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - query: The shared query.
  /// - Throws: ``SharedCacheError``.
  public func write<Value: Codable>(
    _ value: Value,
    for query: Query<Value>
  ) async throws(SharedCacheError) {
    guard let settings = query.options.meta?[SharedSettingsKey.self] else {
      throw .notShared(key: "\(AnyQueryKey(query.key))")
    }
    let key = try key(query.key, settings)
    let link = SharedLink(query.key)
    let bytes: [UInt8]
    do {
      bytes = try configuration.codec.encode(value)
    } catch {
      throw .notEncodable(key: "\(AnyQueryKey(query.key))", reason: "\(error)")
    }
    guard bytes.count <= configuration.maxValueBytes else {
      throw .store(.tooLarge(bytes: bytes.count, limit: configuration.maxValueBytes))
    }
    let stored = SharedValue(
      SharedEnvelope(bytes, age: .zero).bytes,
      form: form(settings)
    )
    let own = Array(key.marks.prefix(1))
    // If an unsent invalidation of the key were sent later, it would end the new entry.
    let kept = locked { $0.unsent.remove(own) }
    do throws(SharedStoreError) {
      let version = try await call(.change) {
        [store, configuration] () async throws(SharedStoreError) in
        try await store.write(stored, for: key, lifetime: configuration.lifetime)
      }
      await written(value, version, to: query, key, link)
    } catch {
      apply { $0.suspected(own[...]) }
      markLocal(.query(query), own)
      keepUnsent(kept)
      keepUnsent(own, after: error)
      throw .store(error)
    }
  }

  private func written<Value: Codable>(
    _ value: Value,
    _ version: SharedVersion,
    to query: Query<Value>,
    _ key: SharedKey,
    _ link: SharedLink
  ) async {
    guard let client else { return }
    let now = clock.now()
    let answer = Mutex<(mayWrite: Bool, wait: FirstResult<Void>?)?>(nil)
    while true {
      answer.withLock { $0 = nil }
      // The client runs the closure again if the data has changed meanwhile, because a newer answer may
      // have become the data.
      client.updateData(for: query, fencing: true) { data in
        let asked = self.begins(writing: version, to: key, link, at: now)
        answer.withLock { $0 = asked }
        data = asked.mayWrite ? value : nil
      }
      if answer.withLock({ $0 == nil }) {
        // The client has not read its own store yet, so the update waits. The value does not depend on what
        // the store has, so it is written now, in place of the update.
        let asked = begins(writing: version, to: key, link, at: now)
        if asked.mayWrite { client.setData(value, for: query, fencing: true) }
        answer.withLock { $0 = asked }
      }
      guard let asked = answer.withLock({ $0 }) else { return }
      if asked.mayWrite { break }
      guard let wait = asked.wait else { return }
      // The loop then tries again, so that the call returns after this client has the value.
      await wait.value()
    }
    apply { $0.wrote(version, to: key.text) }
  }

  /// Notes a write that is about to become the client's data.
  ///
  /// - Returns: Whether the value may become the data. If not, because the client is about to mark the
  ///   key's data as invalidated, also a wait after which to ask again.
  private func begins(
    writing version: SharedVersion,
    to key: SharedKey,
    _ link: SharedLink,
    at now: Duration
  ) -> (mayWrite: Bool, wait: FirstResult<Void>?) {
    locked { state in
      state.links[key.text] = link
      guard !state.table.isMarking(key.text) else { return (false, state.park(key.text)) }
      guard state.table.mayWrite(version, to: key, at: now) else { return (false, nil) }
      state.answers[key.text] = nil
      return (true, nil)
    }
  }
}
