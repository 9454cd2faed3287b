#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension QueryRecord {
  /// Creates a record from a copy of a ring; this describes keys and errors, which runs user code.
  ///
  /// - Parameters:
  ///   - excerpt: The copy.
  ///   - now: The time at which the copy was made, in nanoseconds.
  init(_ excerpt: RecordExcerpt, at now: Int64) {
    self.init(
      // The date is rounded like its text, in seconds since 1970, so that a reader gets the same date.
      date: Date(
        timeIntervalSince1970: Date(timeIntervalSinceReferenceDate: excerpt.date)
          .timeIntervalSince1970
      ),
      duration: .recorded(nanoseconds: max(now, excerpt.rows.last?.time ?? now)),
      firstNumber: Int(truncatingIfNeeded: excerpt.first),
      lostCount: Int(truncatingIfNeeded: excerpt.lostCount),
      base: excerpt.base
    )
    keys = excerpt.keys.sorted { $0.number < $1.number }.map { Key($0) }
    runs = excerpt.runs.sorted { $0.number < $1.number }.map { Run($0.number, $0.run) }
    options = excerpt.options.sorted { $0.number < $1.number }
      .map { Options(number: Int(truncatingIfNeeded: $0.number), $0.terms) }
    errors = excerpt.extras.compactMap { extra in
      extra.error.map {
        Failure(number: Int(truncatingIfNeeded: extra.errorNumber), text: String(describing: $0))
      }
    }
    events.reserveCapacity(excerpt.rows.count)
    var extras = excerpt.extras[...]
    for (position, row) in excerpt.rows.enumerated() {
      events.append(
        Event(
          number: firstNumber + position,
          time: .recorded(nanoseconds: row.time),
          kind: Kind(row, row.hasExtra ? extras.popFirst() : nil, excerpt.numbers)
        )
      )
    }
    values = excerpt.values.map { Value(event: Int(truncatingIfNeeded: $0.event), json: $0.text) }
  }
}

extension Duration {
  /// A time as records have it: in whole microseconds.
  static func recorded(nanoseconds: Int64) -> Duration { .microseconds(nanoseconds / 1_000) }
}

extension QueryRecord.Key {
  fileprivate init(_ row: RecordExcerpt.Key) {
    let key = row.name
    self.init(
      number: Int(truncatingIfNeeded: row.number),
      text: key.key.description,
      valueType: "\(key.valueType)",
      parts: key.key.storage.parts.map { QueryRecord.Part($0) },
      base: QueryRecord.State(row.base)
    )
  }
}

extension QueryRecord.Part {
  /// A part of a key; levels that are too deep become texts.
  fileprivate init(_ part: KeyPart, depth: Int = 0) {
    guard depth < KeyNesting.shown else {
      self = .text("…")
      return
    }
    switch part {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .string(let value): self = .text(value)
    case .double(let bits): self = Self(Double(bitPattern: bits))
    case .float(let bits): self = Self(Double(Float(bitPattern: bits)))
    case .list(let elements): self = .list(elements.map { Self($0, depth: depth + 1) })
    case .record(let fields):
      self = .fields(
        Dictionary(fields.map { ($0.name, Self($0.part, depth: depth + 1)) }) { first, _ in first }
      )
    case .deep(let part): self = Self(part.content, depth: depth + 1)
    case .type, .boxed: self = .text(part.logText())
    }
  }

  // A whole number such as 2.0 becomes an `int`, because JSON does not tell 2.0 from 2.
  private init(_ number: Double) {
    if let whole = Int(exactly: number) {
      self = .int(whole)
    } else {
      self = number.isFinite ? .number(number) : .text("\(number)")
    }
  }
}

extension QueryRecord.Run {
  fileprivate init(_ number: UInt32, _ run: RecordRing.Run) {
    self.init(
      number: Int(truncatingIfNeeded: number),
      mutation: run.key.key.description,
      scope: run.scope,
      started: .recorded(nanoseconds: run.startedAt),
      base: run.base.map(QueryRecord.RunStatus.init(after:))
    )
  }
}

extension QueryRecord.RunStatus {
  /// The status of a run after a step.
  init(after code: RecordCode) {
    self = Self.allCases.first { $0.code == code } ?? .started
  }

  /// The step that leads to the status.
  var code: RecordCode {
    switch self {
    case .started: .runStarted
    case .paused: .runPaused
    case .performing: .runPerforming
    case .retrying: .runAttemptFailed
    case .stopped: .runStopped
    case .succeeded: .runSucceeded
    case .failed: .runFailed
    case .cancelled: .runCancelled
    }
  }
}

extension QueryRecord.Options {
  fileprivate init(number: Int, _ terms: QueryTerms) {
    self.init(
      number: number,
      staleTime: QueryRecord.Span(terms.freshness),
      gcTime: QueryRecord.Span(terms.gcTime)
    )
    retry =
      switch terms.retryCount {
      case 0: "never"
      case 1: "once"
      case let count?: "\(count) times"
      case nil: "a function decides"
      }
    isEnabled = terms.isEnabled
    refetchInterval =
      switch terms.polling {
      case .off: nil
      case .every(let span): QueryRecord.Span(span)
      case .dynamic: .dynamic
      }
  }
}

extension QueryRecord.Span {
  fileprivate init(_ span: TimeSpan) {
    self = span.isInfinite ? .never : .after(.recorded(nanoseconds: span.nanoseconds))
  }

  fileprivate init(_ freshness: Freshness?) {
    self =
      switch freshness {
      case .after(let span): Self(span)
      case .static: .static
      case nil: .dynamic
      }
  }
}

extension QueryRecord.State {
  /// The state that a row of the ring stores; `nil` if the entry was not in the cache.
  init?(_ state: RecordedState) {
    guard state.isPresent else { return nil }
    self.init(bits: Int(truncatingIfNeeded: state.bits & 0xffff))
    observerCount = Int(truncatingIfNeeded: state.observerCount)
    waiterCount = Int(truncatingIfNeeded: state.waiterCount)
    updatedAt = hasData ? .recorded(nanoseconds: state.updatedAt) : nil
    dataUpdateCount = Int(truncatingIfNeeded: state.dataUpdateCount)
    failureCount = Int(truncatingIfNeeded: state.failureCount)
    options = state.options == 0 ? nil : Int(truncatingIfNeeded: state.options)
  }

  /// The statuses by their number in the format; the last number is none.
  private static let statuses: [QueryStatus] = [.pending, .success, .error, .pending]
  private static let fetchStatuses: [FetchStatus] = [.idle, .fetching, .paused, .idle]

  /// Creates a state from its bits in the format.
  init(bits: Int) {
    self.init(status: Self.statuses[bits & 3], fetchStatus: Self.fetchStatuses[bits >> 2 & 3])
    flags = UInt32(truncatingIfNeeded: bits) & RecordedState.Bit.flags
    cause = FetchCause(recordedCode: bits >> Int(truncatingIfNeeded: RecordedState.Bit.cause) & 15)
  }

  /// The bits of the state in the format.
  var bits: Int {
    var bits = flags
    bits |= UInt32(Self.statuses.firstIndex(of: status) ?? 0)
    bits |= UInt32(Self.fetchStatuses.firstIndex(of: fetchStatus) ?? 0) << 2
    if let cause { bits |= cause.recordedCode << RecordedState.Bit.cause }
    return Int(truncatingIfNeeded: bits)
  }
}

extension QueryRecord.Kind {
  /// The kind of a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - extra: The row's extra; `nil` for most rows.
  ///   - numbers: The numbers of keys, by their indices in the ring.
  fileprivate init(_ row: RecordRow, _ extra: RecordRow.Extra?, _ numbers: [UInt32: UInt32]) {
    let error = Int(truncatingIfNeeded: extra?.errorNumber ?? 0)
    let wait = Duration.recorded(nanoseconds: extra?.wait ?? 0)
    let detail = Int(truncatingIfNeeded: row.detail)
    func entry(_ step: QueryRecord.EntryStep) -> Self {
      .entry(
        step,
        key: Int(truncatingIfNeeded: numbers[row.subject] ?? 0),
        state: QueryRecord.State(row.state)
      )
    }
    func run(_ step: QueryRecord.RunStep) -> Self {
      .run(step, run: Int(truncatingIfNeeded: row.subject))
    }
    self =
      switch row.code {
      case .changed: entry(.changed)
      case .added: entry(.added)
      case .removed:
        entry(
          .removed(
            QueryEvent.RemovalReason(recordedCode: Int(row.option)) ?? .removed,
            isKeptEmpty: row.state.isPresent
          )
        )
      case .observed: entry(.observed)
      case .unobserved: entry(.unobserved)
      case .fetchStarted: entry(.fetchStarted(fetch: detail))
      case .attemptFailed:
        entry(
          .attemptFailed(
            fetch: detail,
            count: Int(truncatingIfNeeded: row.state.failureCount),
            retryAfter: wait,
            error: error
          )
        )
      case .fetchPaused: entry(.fetchPaused(fetch: detail))
      case .fetchResumed: entry(.fetchResumed(fetch: detail))
      case .fetchSucceeded: entry(.fetchSucceeded(fetch: detail, isNotModified: row.option == 1))
      case .fetchFailed: entry(.fetchFailed(fetch: detail, error: error))
      case .fetchCancelled: entry(.fetchCancelled(fetch: detail))
      case .written: entry(.written)
      case .invalidated: entry(.invalidated)
      case .reset: entry(.reset)
      case .servedStale: entry(.servedStale(count: detail))
      case .layered: entry(.layered(run: detail))
      case .unlayered: entry(.unlayered(run: detail))
      case .adopted: entry(.adopted)
      case .runStarted: run(.started)
      case .runPaused: run(.paused)
      case .runResumed: run(.resumed)
      case .runPerforming: run(.performing(attempt: detail))
      case .runAttemptFailed: run(.attemptFailed(count: detail, retryAfter: wait, error: error))
      case .runStopped: run(.stopped(error: error))
      case .callbackFailed: run(.callbackFailed(error: error, callback: extra?.name ?? ""))
      case .runSucceeded: run(.succeeded)
      case .runFailed: run(.failed(error: error))
      case .runCancelled: run(.cancelled)
      case .network: .network(isOnline: row.option == 1)
      case .activity: .activity(isActive: row.option == 1)
      case .trigger: .trigger(extra?.recordedTrigger ?? "")
      case .persistenceFailed:
        .persistenceFailed(
          key: row.detail == 0 ? nil : detail,
          store: extra?.name ?? "",
          error: error
        )
      case .bulk:
        .bulk(
          QueryRecord.BulkCall(rawValue: Int(row.option)) ?? .invalidate,
          filter: extra?.recordedFilter ?? "",
          matches: detail
        )
      case .lost: .lost(count: detail)
      }
  }
}
