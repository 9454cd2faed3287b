internal import StreamQuery

// A fetch for all machines, with a lease.
extension SharedCache {
  /// Asks upstream for all machines; `nil` if the lease was lost meanwhile.
  func lead<Value: Codable & Sendable>(
    _ lease: SharedLease,
    _ flight: FlightRun,
    _ upstream: @Sendable () async throws -> Value
  ) async throws -> FlightAnswer<Value>? {
    tell(.leads(key: "\(flight.context.key)"))
    let renewal = renewing(lease)
    defer { renewal.cancel() }
    var answer: FlightAnswer<Value>
    let isOver = Race<Void>()
    do {
      answer = try await withTaskCancellationHandler {
        try await self.answer(flight, upstream)
      } onCancel: {
        // At once: what ignores its cancellation may go on for long.
        renewal.cancel()
        if isOver.give(()) { abandon(lease, flight.context.timeoutError.map(failure)) }
      }
    } catch {
      if isOver.give(()) { abandon(lease, error is CancellationError ? nil : failure(error)) }
      throw error
    }
    let answeredAt = clock.now()
    guard !answer.isKept || isPresent(answer.value, flight) else {
      // Data that is only here, such as what the client has written for itself.
      abandon(lease, nil)
      return answer
    }
    guard let value = encoded(answer, flight) else {
      abandon(lease, .unshareable)
      tell(.alone(key: "\(flight.context.key)", .unshareable))
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
        abandon(lease, flight.context.timeoutError.map(failure))
        throw CancellationError()
      case .tooLarge: abandon(lease, .unshareable)
      // Whether it was stored is unknown; nobody has told of a change.
      case .unavailable, .unreadable: break
      }
    }
    answer.age += clock.now() - answeredAt
    return answer
  }

  /// What others are told of an error.
  private func failure(_ error: any Error) -> SharedFailure {
    .failed(.init(configuration.failureText(error), code: configuration.failureCode(error)))
  }

  /// Whether data that upstream found unchanged is what the store has.
  private func isPresent<Value: Codable>(_ value: Value, _ flight: FlightRun) -> Bool {
    guard let entry = flight.present, entry.value.form == form(flight.settings),
      let envelope = SharedEnvelope(entry.value.bytes)
    else { return false }
    return (try? configuration.codec.encode(value)) == envelope.value
  }

  /// The value for the store; `nil` if it cannot be stored.
  private func encoded<Value: Codable>(
    _ answer: FlightAnswer<Value>,
    _ flight: FlightRun
  ) -> SharedValue? {
    // First: what encoding takes belongs to the age.
    let duration = clock.now() - answer.requestedAt
    guard let bytes = try? configuration.codec.encode(answer.value),
      bytes.count <= configuration.maxValueBytes
    else { return nil }
    let envelope = SharedEnvelope(bytes, age: answer.age, duration: duration)
    return SharedValue(envelope.bytes, form: form(flight.settings))
  }

  /// Renews a lease until it is lost or the task is cancelled.
  private func renewing(_ lease: SharedLease) -> Task<Void, Never> {
    Task.detached(executorPreference: scheduling.executor) { [self] in
      while (try? await scheduling.clock.sleep(for: configuration.lease / 3)) != nil {
        let isValid = try? await call(.change) {
          [store, configuration] () async throws(SharedStoreError) in
          try await store.renew(lease, for: configuration.lease)
        }
        // A store that does not answer may do so before the lease ends.
        if isValid == false { return }
      }
    }
  }
}
