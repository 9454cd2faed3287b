@_spi(SharedCache) internal import StreamQuery

extension SharedCache {
  /// Fetches for all machines, or takes an entry that another machine has fetched.
  func fetch<Value: Codable & Sendable>(
    _ key: QueryKey<Value>,
    _ settings: SharedSettings,
    _ context: FetchContext,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let client, client === context.client else {
      throw SharedCacheError.otherClient(key: context.key.description)
    }
    guard context.direction == nil else {
      tell(.alone(key: "\(context.key)", .part))
      return try await upstream()
    }
    let sharedKey = try self.key(key, settings)
    sweepRows(client)
    let link = SharedLink(key)
    let begun = try await begun(sharedKey, link)
    let knows = context.previous(as: Value.self) != nil && !begun.isSuspect
    // This is read before the clock, so that the computed time of the invalidation is never too
    // early.
    let invalidation = context.timeSinceInvalidation
    let now = clock.now()
    let rounds = SharedRounds(
      at: now,
      maxAge: maxAge(context, settings, since: invalidation, isSuspect: begun.isSuspect),
      outdated: knows ? begun.landed : nil,
      bounds: begun.bounds,
      leastRequest: context.demand == .latest ? now : invalidation.map { now - $0 },
      answerTimeout: configuration.answerTimeout,
      chance: chance,
      rounds: configuration.rounds,
      slack: configuration.timeout
    )
    var flight = FlightRun(id: begun.id, key: sharedKey, settings, context, rounds)
    do {
      // A query that cannot be shared is registered as well: an invalidation, for example by tag, concerns
      // it, too.
      let isShareable = sharedKey.text.utf8.count <= configuration.maxKeyBytes
      let first = isShareable ? flight.rounds.first : .alone(.unshareable)
      return try await run(&flight, from: first, upstream)
    } catch {
      locked { $0.table.ended(begun.id, of: sharedKey.text) }
      throw error
    }
  }

  /// Registers a fetch, but first waits until the client has marked the key's suspect data as invalidated.
  ///
  /// Otherwise the client would also invalidate the answer of this fetch.
  private func begun(_ key: SharedKey, _ link: SharedLink) async throws -> SharedTable.Beginning {
    while true {
      let (begun, isMarking) = locked { state -> (SharedTable.Beginning?, FirstResult<Void>?) in
        state.links[key.text] = link
        let hasLanded = state.answers[key.text]?.hasLanded ?? true
        guard let begun = state.table.began(key, hasLanded: hasLanded) else {
          return (nil, state.park(key.text))
        }
        state.answers[key.text] = nil
        return (begun, nil)
      }
      if let begun { return begun }
      await isMarking?.value(ifCancelled: ())
      try Task.checkCancellation()
    }
  }

  /// The key in the store, and its marks.
  func key<Value>(
    _ key: QueryKey<Value>,
    _ settings: SharedSettings
  ) throws(SharedCacheError) -> SharedKey {
    names.key(
      try keyText(key.canonicalText),
      parts: try keyText(AnyQueryKey(key).canonicalText),
      tags: settings.tags,
      form: form(settings)
    )
  }

  /// Makes the text of a key, which must be the same on all machines.
  func keyText(
    _ make: () throws(KeyEncodingError) -> String
  ) throws(SharedCacheError) -> String {
    do throws(KeyEncodingError) {
      return try make()
    } catch {
      throw .keyWithoutText(reason: "\(error)")
    }
  }

  /// The maximum age of an entry that the fetch accepts; `nil` accepts no entry.
  private func maxAge(
    _ context: FetchContext,
    _ settings: SharedSettings,
    since invalidation: Duration?,
    isSuspect: Bool
  ) -> Duration? {
    switch context.demand {
    case .latest: return nil
    // The client itself has invalidated the data, and the store may not know why. If the log caused the
    // invalidation, the store knows.
    case .afterInvalidation where !isSuspect || invalidation != nil: return nil
    case .fresh, .afterInvalidation: break
    }
    // Data that is as old as the stale time is stale.
    let age = (settings.maxAge ?? context.staleTime) - .nanoseconds(1)
    // An entry from before the client's invalidation is too old, because its request was even earlier.
    return age < .zero ? nil : min(age, configuration.lifetime, invalidation ?? age)
  }

  /// Forgets the rows of entries that the client no longer has.
  private func sweepRows(_ client: QueryClient) {
    let now = clock.now()
    let look = locked { state -> (links: [String: SharedLink], arrival: UInt64)? in
      guard state.beginsSweep() else { return nil }
      state.forgetLandedAnswers()
      return (state.links, state.table.arrivals)
    }
    guard let look else { return }
    // The order is the same in every process, so that a simulation can repeat it.
    let gone = look.links.filter { !$0.value.isCached(in: client) }.keys.sorted()
    let removed = locked { state -> [SharedLink] in
      // The client may have got an entry after it was asked.
      let keys = state.table.forget(
        gone,
        cameUpTo: look.arrival,
        landedBefore: now - .seconds(60)
      )
      state.endedSweep()
      // If the answer becomes the data nevertheless, it is marked as outdated, because changes are not
      // compared with it any more.
      for key in keys { state.answers.removeValue(forKey: key)?.markOutdated() }
      return keys.compactMap { state.links.removeValue(forKey: $0) }
    }
    _ = removed
  }
}
