@_spi(Adapters) @_spi(SharedCache) internal import StreamQuery

// The code that performs the steps of a fetch. `SharedRounds` chooses the next step, and `SharedTable`
// decides whether the fetched answer becomes the client's data.
extension SharedCache {
  func run<Value: Codable & Sendable>(
    _ flight: inout FlightRun,
    from first: SharedRounds.Step,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> Value {
    var step = first
    while true {
      try Task.checkCancellation()
      var answer: FlightAnswer<Value>?
      switch step {
      case .begin(let maxAge): step = try await begin(&flight, maxAge)
      case .take(let entry):
        answer = read(entry, flight)
        if answer == nil { step = flight.rounds.unusable(entry) }
      case .lead(let lease):
        answer = try await lead(lease, flight, upstream)
        if answer == nil, let next = flight.rounds.lost(at: clock.now()) {
          tell(.outdated(key: "\(flight.context.key)", again: true))
          step = next
        } else if answer == nil {
          step = .alone(.outdated)
        }
      case .follow(let position, let until):
        let news = try await follow(position, until: until, flight)
        step = flight.rounds.received(news, at: clock.now())
      case .alone(let reason):
        answer = try await fetchAlone(reason, flight, upstream)
      case .fail(let report):
        let key = "\(flight.context.key)"
        tell(.failedElsewhere(key: key, reason: report.text))
        let known = report.code.flatMap { code in
          configuration.failureOfCode(code) ?? OwnFailure.error(of: code, fetching: key)
        }
        throw known ?? SharedCacheError.failedElsewhere(key: key, reason: report.text)
      }
      guard let answer else { continue }
      guard let next = try await land(answer, &flight) else {
        if answer.isKept { throw NotModified() }
        return answer.value
      }
      step = next
    }
  }

  /// Decides whether the fetch returns an answer or begins again.
  ///
  /// - Returns: The next step; `nil` if the fetch returns the answer.
  private func land<Value: Sendable>(
    _ answer: FlightAnswer<Value>,
    _ flight: inout FlightRun
  ) async throws -> SharedRounds.Step? {
    let now = clock.now()
    let landing = flight.context.upcomingAnswer
    let (verdict, isMarking) = locked {
      [flight] state -> (SharedTable.Verdict, FirstResult<Void>?) in
      let key = flight.key.text
      let verdict = state.table.answered(
        answer.origin,
        by: flight.id,
        of: key,
        at: now,
        requestedAt: answer.requestedAt
      )
      switch verdict {
      case .lands, .landsUnwatched: state.answers[key] = landing
      case .waits: return (verdict, state.park(key))
      case .again, .unsure, .ignored: break
      }
      return (verdict, nil)
    }
    let next: SharedRounds.Step?
    switch verdict {
    case .lands, .ignored:
      // The versions show that nothing has changed since the request. But they do not show an invalidation
      // that the client made for itself, or a cache before upstream. In these two cases, the age decides.
      let isAgeDecisive = answer.isAged || flight.context.timeSinceInvalidation != nil
      let isOutdated: Bool? = isAgeDecisive ? nil : false
      flight.context.answer(isOld: answer.age, isOutdated: isOutdated)
      return nil
    case .landsUnwatched:
      flight.context.answer(isOld: answer.age, isOutdated: true)
      return nil
    case .waits:
      await isMarking?.value(ifCancelled: ())
      try Task.checkCancellation()
      var answer = answer
      answer.age += clock.now() - now
      return try await land(answer, &flight)
    case .again:
      next = flight.rounds.lost(at: now, taken: answer.isTaken ? answer.version : nil)
      tell(.outdated(key: "\(flight.context.key)", again: next != nil))
    case .unsure: next = flight.rounds.unsure(at: now, of: answer.version)
    }
    if let next { return next }
    locked { [flight] in
      $0.table.ended(
        flight.id,
        of: flight.key.text,
        outdatedAt: now,
        requestedAt: answer.requestedAt
      )
    }
    flight.context.answer(isOld: answer.age, isOutdated: true)
    return nil
  }

  // MARK: Steps

  private func begin(
    _ flight: inout FlightRun,
    _ maxAge: Duration?
  ) async throws -> SharedRounds.Step {
    let (id, key) = (flight.id, flight.key)
    let lease = time(ofLease: flight.context)
    flight.askedAt = clock.now()
    locked { $0.table.beganAgain(id, of: key.text) }
    do throws(SharedStoreError) {
      let beginning = try await call { [self] beginning in
        if case .leads(let lease, entry: _) = beginning { abandon(lease, nil) }
      } _: { [store] () async throws(SharedStoreError) in
        try await store.begin(key, maxAge: maxAge, lease: lease)
      }
      if case .leads(_, let entry) = beginning { flight.present = entry }
      return flight.rounds.began(beginning, at: clock.now())
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .tooLarge: return .alone(.unshareable)
      case .unavailable, .unreadable: return .alone(.storeAway)
      }
    }
  }

  /// Decodes an entry; `nil` if it cannot be read, or does not answer the fetch.
  private func read<Value: Codable & Sendable>(
    _ entry: SharedEntry,
    _ flight: FlightRun
  ) -> FlightAnswer<Value>? {
    guard entry.value.form == form(flight.settings),
      entry.value.bytes.count - SharedEnvelope.head <= configuration.maxValueBytes,
      let envelope = SharedEnvelope(entry.value.bytes),
      let value = try? configuration.codec.decode(Value.self, from: envelope.value)
    else {
      tell(.unreadable(key: "\(flight.context.key)"))
      return nil
    }
    let stored = max(entry.age, .zero)
    // The value grew older on its way to the store. It was requested after its lease was given, so it
    // cannot be older than the lease.
    let onWay = max((entry.requestAge ?? .zero) - envelope.duration - stored, .zero)
    let isAccepted = flight.rounds.accepts(
      entry,
      olderBy: envelope.age + onWay,
      fetchedIn: envelope.duration,
      askedAt: flight.askedAt
    )
    guard isAccepted else { return nil }
    // The store may have measured the age as early as at `askedAt`, and the entry has grown older
    // since.
    let now = clock.now()
    let age = stored + envelope.age + onWay + (now - flight.askedAt)
    tell(.hit(key: "\(flight.context.key)", age: age))
    return FlightAnswer(
      value: value,
      origin: .stored(entry.version),
      age: age,
      requestedAt: now - stored - envelope.duration,
      isTaken: true,
      isAged: envelope.age > .zero
    )
  }

  func form(_ settings: SharedSettings) -> String {
    "\(configuration.codec.name).\(settings.form)"
  }

  /// Waits for news about the key from the machine that fetches.
  private func follow(
    _ position: SharedPosition,
    until end: Duration,
    _ flight: FlightRun
  ) async throws -> SharedNews {
    let firstResult = FirstResult<SharedNews?>()
    let now = clock.now()
    let (news, isRead) = locked { state in
      let news = state.table.follows(position, flight.id, of: flight.key.text)
      if news == nil { state.waiting[flight.id] = firstResult }
      return (news, state.table.log.isRead)
    }
    if let news { return news }
    tell(.follows(key: "\(flight.context.key)"))
    // If nobody reads the log, there is no news, so the store is asked now and then.
    let wait = isRead ? end - now : min(end - now, configuration.timeout)
    let deadline = deadlines.set(after: wait) { firstResult.give(nil) }
    let received = await firstResult.value(ifCancelled: nil)
    deadline?.cancel()
    _ = locked { $0.waiting.removeValue(forKey: flight.id) }
    try Task.checkCancellation()
    return received ?? .silence
  }

  private func fetchAlone<Value: Sendable>(
    _ reason: SharedCacheEvent.Reason,
    _ flight: FlightRun,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> FlightAnswer<Value> {
    tell(.alone(key: "\(flight.context.key)", reason))
    locked { $0.table.beganAgain(flight.id, of: flight.key.text) }
    return try await answer(flight, upstream)
  }

  /// Asks upstream.
  func answer<Value: Sendable>(
    _ flight: FlightRun,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> FlightAnswer<Value> {
    let start = clock.now()
    let (value, isKept) = try await { () async throws -> (Value, Bool) in
      do {
        return (try await upstream(), false)
      } catch let error as NotModified {
        guard let previous = flight.context.previous(as: Value.self) else { throw error }
        return (previous, true)
      }
    }()
    return FlightAnswer(
      value: value,
      origin: .unversioned(requestedAt: start),
      age: flight.context.answerAge,
      requestedAt: start,
      isKept: isKept,
      isAged: flight.context.answerAge > .zero
    )
  }
}
