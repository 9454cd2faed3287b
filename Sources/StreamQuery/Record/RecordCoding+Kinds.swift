// Encodes and decodes the kinds of events.

extension QueryRecord.Kind {
  func encode(to row: inout some UnkeyedEncodingContainer) throws {
    switch self {
    case .entry(let step, let key, let state):
      try step.encode(of: key.counted(from: 1), to: &row)
      try row.encode(state: state)
    case .run(let step, let run): try step.encode(of: run.counted(from: 1), to: &row)
    case .network(let isOnline): try row.encode(.network, isOnline ? 1 : 0)
    case .activity(let isActive): try row.encode(.activity, isActive ? 1 : 0)
    case .trigger(let name):
      try row.encode(.trigger)
      try row.encode(name)
    case .persistenceFailed(let key, let store, let error):
      try row.encode(.persistenceFailed, key ?? 0)
      try row.encode(store)
      try row.encode(counts: error)
    case .bulk(let call, let filter, let matches):
      try row.encode(.bulk, call.rawValue)
      try row.encode(filter)
      try row.encode(counts: matches)
    case .lost(let count): try row.encode(.lost, count)
    }
  }

  /// Decodes an event; `nil` if this version does not know the event.
  init?(from row: inout some UnkeyedDecodingContainer) throws {
    let number = try row.decodeCount()
    guard let code = UInt8(exactly: number).flatMap(RecordCode.init(rawValue:)) else {
      guard number < Int(RecordCode.runStarted.rawValue) else { return nil }
      self.init(unknownEventOfEntry: &row)
      return
    }
    if code.isOfEntry {
      let key = try row.decode(Int.self).counted(from: 1)
      let step = try QueryRecord.EntryStep(code, from: &row)
      self = .entry(step ?? .changed, key: key, state: try row.decodeState())
      return
    }
    if code.isOfRun {
      let run = try row.decode(Int.self).counted(from: 1)
      guard let step = try QueryRecord.RunStep(code, from: &row) else { return nil }
      self = .run(step, run: run)
      return
    }
    switch code {
    case .network: self = .network(isOnline: try row.decode(Int.self) != 0)
    case .activity: self = .activity(isActive: try row.decode(Int.self) != 0)
    case .trigger: self = .trigger(try row.decode(String.self))
    case .persistenceFailed:
      let key = try row.decodeCount()
      self = .persistenceFailed(
        key: key == 0 ? nil : key,
        store: try row.decode(String.self),
        error: try row.decodeCount()
      )
    case .bulk:
      guard let call = QueryRecord.BulkCall(rawValue: try row.decodeCount()) else { return nil }
      self = .bulk(call, filter: try row.decode(String.self), matches: try row.decodeCount())
    default: self = .lost(count: try row.decodeCount())
    }
  }
}

extension QueryRecord.Kind {
  /// An element that is decoded only to skip it.
  private struct Skipped: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// Decodes the state after an event of an entry that this version does not know.
  ///
  /// The result is `nil` unless the first element is a key and the last one a state. If this state were
  /// skipped, the entry's state would be wrong until its next event.
  fileprivate init?(unknownEventOfEntry row: inout some UnkeyedDecodingContainer) {
    guard let key = try? row.decode(Int.self), key > 0 else { return nil }
    guard let last = row.count.map({ $0 - 1 }), last >= row.currentIndex else { return nil }
    while row.currentIndex < last {
      guard (try? row.decode(Skipped.self)) != nil else { return nil }
    }
    do { self = .entry(.changed, key: key, state: try row.decodeState()) } catch { return nil }
  }
}

extension QueryRecord.EntryStep {
  fileprivate func encode(of key: Int, to row: inout some UnkeyedEncodingContainer) throws {
    switch self {
    case .changed: try row.encode(.changed, key)
    case .added: try row.encode(.added, key)
    case .removed(let reason, let isKeptEmpty):
      try row.encode(.removed, key, Int(reason.recordedCode), isKeptEmpty ? 1 : 0)
    case .observed: try row.encode(.observed, key)
    case .unobserved: try row.encode(.unobserved, key)
    case .fetchStarted(let fetch): try row.encode(.fetchStarted, key, fetch)
    case .attemptFailed(let fetch, let count, let wait, let error):
      try row.encode(.attemptFailed, key, fetch, count)
      try row.encode(wait.recorded.counted())
      try row.encode(counts: error)
    case .fetchPaused(let fetch): try row.encode(.fetchPaused, key, fetch)
    case .fetchResumed(let fetch): try row.encode(.fetchResumed, key, fetch)
    case .fetchSucceeded(let fetch, let isNotModified):
      try row.encode(.fetchSucceeded, key, fetch, isNotModified ? 1 : 0)
    case .fetchFailed(let fetch, let error): try row.encode(.fetchFailed, key, fetch, error)
    case .fetchCancelled(let fetch): try row.encode(.fetchCancelled, key, fetch)
    case .written: try row.encode(.written, key)
    case .invalidated: try row.encode(.invalidated, key)
    case .reset: try row.encode(.reset, key)
    case .servedStale(let count): try row.encode(.servedStale, key, count)
    case .layered(let run): try row.encode(.layered, key, run)
    case .unlayered(let run): try row.encode(.unlayered, key, run)
    case .adopted: try row.encode(.adopted, key)
    }
  }

  /// Decodes a step; `nil` if only a later version knows its details.
  ///
  /// Then only the state is left to decode.
  fileprivate init?(_ code: RecordCode, from row: inout some UnkeyedDecodingContainer) throws {
    switch code {
    case .changed: self = .changed
    case .added: self = .added
    case .removed:
      let reason = QueryEvent.RemovalReason(recordedCode: try row.decodeCount())
      let isKeptEmpty = try row.decode(Int.self) != 0
      guard let reason else { return nil }
      self = .removed(reason, isKeptEmpty: isKeptEmpty)
    case .observed: self = .observed
    case .unobserved: self = .unobserved
    case .fetchStarted: self = .fetchStarted(fetch: try row.decodeCount())
    case .attemptFailed:
      self = .attemptFailed(
        fetch: try row.decodeCount(),
        count: try row.decodeCount(),
        retryAfter: try row.decodeWait(),
        error: try row.decodeCount()
      )
    case .fetchPaused: self = .fetchPaused(fetch: try row.decodeCount())
    case .fetchResumed: self = .fetchResumed(fetch: try row.decodeCount())
    case .fetchSucceeded:
      self = .fetchSucceeded(
        fetch: try row.decodeCount(),
        isNotModified: try row.decode(Int.self) != 0
      )
    case .fetchFailed:
      self = .fetchFailed(fetch: try row.decodeCount(), error: try row.decodeCount())
    case .fetchCancelled: self = .fetchCancelled(fetch: try row.decodeCount())
    case .written: self = .written
    case .invalidated: self = .invalidated
    case .reset: self = .reset
    case .servedStale: self = .servedStale(count: try row.decodeCount())
    case .layered: self = .layered(run: try row.decodeCount())
    case .unlayered: self = .unlayered(run: try row.decodeCount())
    case .adopted: self = .adopted
    default: return nil
    }
  }
}

extension QueryRecord.RunStep {
  fileprivate func encode(of run: Int, to row: inout some UnkeyedEncodingContainer) throws {
    switch self {
    case .started: try row.encode(.runStarted, run)
    case .paused: try row.encode(.runPaused, run)
    case .resumed: try row.encode(.runResumed, run)
    case .performing(let attempt): try row.encode(.runPerforming, run, attempt)
    case .attemptFailed(let count, let wait, let error):
      try row.encode(.runAttemptFailed, run, count)
      try row.encode(wait.recorded.counted())
      try row.encode(counts: error)
    case .stopped(let error): try row.encode(.runStopped, run, error)
    case .callbackFailed(let error, let callback):
      try row.encode(.callbackFailed, run, error)
      try row.encode(callback)
    case .succeeded: try row.encode(.runSucceeded, run)
    case .failed(let error): try row.encode(.runFailed, run, error)
    case .cancelled: try row.encode(.runCancelled, run)
    }
  }

  fileprivate init?(_ code: RecordCode, from row: inout some UnkeyedDecodingContainer) throws {
    switch code {
    case .runStarted: self = .started
    case .runPaused: self = .paused
    case .runResumed: self = .resumed
    case .runPerforming: self = .performing(attempt: try row.decodeCount())
    case .runAttemptFailed:
      self = .attemptFailed(
        count: try row.decodeCount(),
        retryAfter: try row.decodeWait(),
        error: try row.decodeCount()
      )
    case .runStopped: self = .stopped(error: try row.decodeCount())
    case .callbackFailed:
      self = .callbackFailed(error: try row.decodeCount(), callback: try row.decode(String.self))
    case .runSucceeded: self = .succeeded
    case .runFailed: self = .failed(error: try row.decodeCount())
    case .runCancelled: self = .cancelled
    default: return nil
    }
  }
}
