@_spi(SharedCache) internal import StreamQuery

// The fetch of a machine that has the lease, and so fetches for all machines.
extension SharedCache {
  /// Asks upstream for all machines; `nil` if the lease was lost meanwhile.
  func lead<Value: Codable & Sendable>(
    _ lease: SharedLease,
    _ flight: FlightRun,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> FlightAnswer<Value>? {
    tell(.leads(key: "\(flight.context.key)"))
    let renewal = renewing(lease, for: time(ofLease: flight.context))
    defer { renewal.cancel() }
    var answer: FlightAnswer<Value>
    let isOver = FirstResult<Void>()
    do {
      answer = try await withTaskCancellationHandler {
        try await self.answer(flight, upstream)
      } onCancel: {
        // The renewal ends at once, because code that ignores its cancellation may run for long.
        renewal.cancel()
        if isOver.give(()) { abandon(lease, timeout(of: flight)) }
      }
    } catch {
      if isOver.give(()) {
        // Only the task tells whether this is a cancellation: a `CancellationError` from elsewhere
        // is a failure.
        abandon(lease, Task.isCancelled ? timeout(of: flight) : failure(error, flight))
      }
      throw error
    }
    let answeredAt = clock.now()
    guard !answer.isKept || isPresent(answer.value, flight) else {
      // This data exists only in this client, for example as a local write, so it is not stored for all.
      abandon(lease, nil)
      return answer
    }
    let value: SharedValue
    switch encoded(answer, flight) {
    case .value(let encoded): value = encoded
    case .refused(let reason):
      abandon(lease, .unshareable)
      tell(.alone(key: "\(flight.context.key)", reason))
      return answer
    }
    do throws(SharedStoreError) {
      let version = try await call(.change) {
        [store, configuration] () async throws(SharedStoreError) in
        try await store.commit(value, with: lease, lifetime: configuration.lifetime)
      }
      guard let version else { return nil }
      tell(.committed(key: "\(flight.context.key)"))
      answer.origin = .stored(version)
    } catch {
      switch error {
      case .cancelled:
        abandon(lease, timeout(of: flight))
        throw CancellationError()
      case .tooLarge:
        abandon(lease, .unshareable)
        tell(.alone(key: "\(flight.context.key)", .tooLarge))
      // It is unknown whether the value was stored. The fetch returns the answer without a version.
      case .unavailable, .unreadable: break
      }
    }
    answer.age += clock.now() - answeredAt
    return answer
  }

  /// How long the lease of a fetch lasts without a renewal.
  ///
  /// For an attempt with a timeout, the lease is at most half of the timeout, so that another machine can
  /// take over in time if this one dies. But the lease is at least as long as a call of the store may take,
  /// because a call must renew it.
  func time(ofLease context: FetchContext) -> Duration {
    guard let timeout = context.timeout else { return configuration.lease }
    return min(configuration.lease, max(timeout / 2, configuration.timeout))
  }

  /// The report to other machines about a cancelled fetch; `nil` unless the fetch exceeded its timeout.
  private func timeout(of flight: FlightRun) -> SharedFailure? {
    flight.context.timeoutError.map { failure($0, flight) }
  }

  /// The report to other machines about an error.
  private func failure(_ error: any Error, _ flight: FlightRun) -> SharedFailure {
    let code =
      configuration.failureCode(error)
      ?? OwnFailure.code(of: error, fetching: "\(flight.context.key)")
    return .failed(.init(configuration.failureText(error), code: code))
  }

  /// Whether the store's entry has the same value as the client's data, which upstream found unchanged; if
  /// not, that data may be a local write.
  private func isPresent<Value: Codable>(_ value: Value, _ flight: FlightRun) -> Bool {
    guard let entry = flight.present, entry.value.form == form(flight.settings),
      let envelope = SharedEnvelope(entry.value.bytes)
    else { return false }
    return (try? configuration.codec.encode(value)) == envelope.value
  }

  private enum Encoded {
    case value(SharedValue)
    case refused(SharedCacheEvent.Reason)
  }

  /// The value for the store, or the reason why it cannot be stored.
  private func encoded<Value: Codable>(
    _ answer: FlightAnswer<Value>,
    _ flight: FlightRun
  ) -> Encoded {
    // The clock is read before the value is encoded, because the time of encoding is part of the
    // age.
    let duration = clock.now() - answer.requestedAt
    guard let bytes = try? configuration.codec.encode(answer.value) else {
      return .refused(.unshareable)
    }
    guard bytes.count <= configuration.maxValueBytes else { return .refused(.tooLarge) }
    let envelope = SharedEnvelope(bytes, age: answer.age, duration: duration)
    return .value(SharedValue(envelope.bytes, form: form(flight.settings)))
  }

  /// Renews a lease until it is lost or the task is cancelled.
  private func renewing(_ lease: SharedLease, for time: Duration) -> Task<Void, Never> {
    Task.detached(executorPreference: scheduling.executor) { [self] in
      // The lease is renewed after a random share of its time. Otherwise it could end just when its holder
      // gives up, and a machine that waits for that end would lead before it hears of the failure.
      while (try? await scheduling.clock.sleep(for: time * (0.25 + chance / 12))) != nil {
        let isValid = try? await call(.change) { [store] () async throws(SharedStoreError) in
          try await store.renew(lease, for: time)
        }
        // If the store does not answer now, it may do so before the lease ends.
        if isValid == false { return }
      }
    }
  }
}
