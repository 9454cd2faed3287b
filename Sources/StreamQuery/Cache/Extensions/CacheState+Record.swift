// How a record of what happens is kept.

extension CacheState {
  /// Keeps the newest events from now on.
  mutating func keepRecord(_ policy: RecordPolicy) {
    guard policy.count > 0 else { return }
    extensions.active.insert(.record)
    reports.audience.insert(.record)
    extensions.record = RecordRing(
      capacity: policy.count,
      maxBytes: policy.values?.maxBytes,
      date: environment.now.date
    )
  }

  // MARK: Entries

  /// An entry was made.
  mutating func recordAddition(of index: Int) {
    guard extensions.record != nil, let key = slots[index].key else { return }
    let state = recordedState(of: index, options: 0)
    extensions.record?.added(index, key, state)
  }

  /// Another query took over an entry.
  mutating func recordAdoption(of index: Int, _ transaction: Transaction) {
    guard extensions.record != nil, let terms = slots[index].query?.terms else { return }
    extensions.record?.adopted(index, terms, at: transaction.nanoseconds)
  }

  /// The change of an entry was carried out.
  @inline(__always)
  mutating func recordState(of index: Int, _ transaction: Transaction) {
    guard let place = extensions.record?.place(of: index) else { return }
    let options = extensions.record?.keys[place].present.options ?? 0
    let state = recordedState(of: index, options: options)
    extensions.record?.changed(place, state, at: transaction.nanoseconds)
  }

  @inline(__always)
  private func recordedState(of index: Int, options: UInt32) -> RecordedState {
    var state = slots[index].machine.recordedState
    state.options = options
    if slots[index].isLayered { state.bits |= RecordedState.Bit.layered }
    if state.bits & RecordedState.Bit.data == 0, slots[index].query?.placeholder != nil {
      state.bits |= RecordedState.Bit.placeholder
    }
    return state
  }

  /// Layers of a run came or went.
  mutating func recordLayers(
    _ code: RecordCode,
    _ index: Int,
    of run: MutationID,
    _ transaction: Transaction
  ) {
    guard let place = extensions.record?.place(of: index),
      let number = extensions.record?.number(ofRun: run.serial)
    else { return }
    extensions.record?.logUnfinished(code, place, detail: number, at: transaction.nanoseconds)
  }

  /// All entries are removed at once.
  mutating func recordRemoval(of kept: [Int32]) {
    extensions.record?.moved(kept, at: environment.now.instant.nanoseconds)
  }

  /// Records an event of an entry, if a record is kept.
  @inline(__always)
  mutating func recordEvent(
    _ kind: QueryEvent.Kind,
    _ index: Int,
    _ transaction: Transaction,
    _ job: FetchJob?,
    isNotModified: Bool,
    isKeptEmpty: Bool
  ) {
    guard extensions.active.contains(.record), let place = extensions.record?.place(of: index)
    else { return }
    if case .written = kind {
      // The most frequent one.
      extensions.record?.logUnfinished(.written, place, at: transaction.nanoseconds)
      recordValue(of: index)
    } else if case .removed(let reason) = kind, !isKeptEmpty {
      extensions.record?.removed(index, reason, at: transaction.nanoseconds)
    } else {
      recordRareEvent(kind, place, index, transaction, job, isNotModified: isNotModified)
    }
  }

  @inline(never)
  private mutating func recordRareEvent(
    _ kind: QueryEvent.Kind,
    _ place: Int,
    _ index: Int,
    _ transaction: Transaction,
    _ job: FetchJob?,
    isNotModified: Bool
  ) {
    let (now, fetch) = (transaction.nanoseconds, job?.id.rawValue ?? 0)
    var row = RecordRow(time: now, subject: UInt32(truncatingIfNeeded: place), code: .added)
    row.detail = fetch
    switch kind {
    case .added: extensions.record?.logFinished(row)
    case .removed(let reason):
      row.code = .removed
      row.option = reason.recordedCode
      extensions.record?.logFinished(row)
    case .observed: extensions.record?.logUnfinished(.observed, place, at: now)
    case .unobserved: extensions.record?.logUnfinished(.unobserved, place, at: now)
    case .fetchStarted:
      extensions.record?.logUnfinished(.fetchStarted, place, detail: fetch, at: now)
    case .fetchPaused:
      extensions.record?.logUnfinished(.fetchPaused, place, detail: fetch, at: now)
    case .fetchResumed:
      extensions.record?.logUnfinished(.fetchResumed, place, detail: fetch, at: now)
    case .fetchCancelled:
      extensions.record?.logUnfinished(.fetchCancelled, place, detail: fetch, at: now)
    case .fetchSucceeded:
      row.code = .fetchSucceeded
      row.option = isNotModified ? 1 : 0
      extensions.record?.logUnfinished(row)
      if !isNotModified { recordValue(of: index) }
    case .fetchFailed(let error):
      row.code = .fetchFailed
      extensions.record?.logUnfinished(row, RecordRow.Extra(error: error))
    case .attemptFailed(let error, _, let wait):
      row.code = .attemptFailed
      let extra = RecordRow.Extra(error: error, wait: TimeSpan(wait).nanoseconds)
      extensions.record?.logUnfinished(row, extra)
    case .servedStale(let count):
      let count = UInt32(truncatingIfNeeded: count)
      extensions.record?.logUnfinished(.servedStale, place, detail: count, at: now)
    case .invalidated: extensions.record?.logUnfinished(.invalidated, place, at: now)
    case .reset: extensions.record?.logUnfinished(.reset, place, at: now)
    case .written, .observerResultsUpdated, .observerOptionsUpdated, .lookup, .mutation,
      .persistenceFailed, .eventsDropped:
      break
    }
  }

  /// Asks for the text of the data that an entry has since the last event.
  private mutating func recordValue(of index: Int) {
    guard extensions.record?.values.isOn == true, let next = extensions.record?.next,
      let key = slots[index].key, let box = slots[index].data
    else { return }
    actionQueue.enqueue(.recordValue(RecordedValue(event: next - 1, key: key.key, box: box)))
  }

  // MARK: Runs

  /// Records a step of a run, if a record is kept.
  mutating func recordStep(
    _ step: QueryEvent.MutationStep,
    _ job: MutationJob,
    _ transaction: Transaction
  ) {
    guard extensions.record != nil else { return }
    let serial = job.id.serial
    if case .started = step {
      let run = RecordRing.Run(
        serial: serial,
        key: job.key,
        scope: job.scope,
        startedAt: job.submittedAt.instant.nanoseconds
      )
      _ = extensions.record?.runStarted(run)
    }
    guard let number = extensions.record?.number(ofRun: serial), number != 0 else { return }
    var row = RecordRow(time: transaction.nanoseconds, subject: number, code: .runStarted)
    var extra: RecordRow.Extra?
    switch step {
    case .started: break
    case .paused: row.code = .runPaused
    case .resumed: row.code = .runResumed
    case .performing(let attempt):
      row.code = .runPerforming
      row.detail = UInt32(truncatingIfNeeded: attempt)
    case .attemptFailed(let error, let count, let wait):
      row.code = .runAttemptFailed
      row.detail = UInt32(truncatingIfNeeded: count)
      extra = RecordRow.Extra(error: error, wait: TimeSpan(wait).nanoseconds)
    case .stopped(let error): (row.code, extra) = (.runStopped, RecordRow.Extra(error: error))
    case .callbackFailed(let error, let callback):
      (row.code, extra) = (.callbackFailed, RecordRow.Extra(error: error, name: callback))
    case .succeeded: row.code = .runSucceeded
    case .failed(let error): (row.code, extra) = (.runFailed, RecordRow.Extra(error: error))
    case .cancelled: row.code = .runCancelled
    }
    if let extra {
      extensions.record?.log(row, extra)
    } else {
      extensions.record?.log(row)
    }
  }

  // MARK: The client

  /// Records that the network or the app has a state.
  mutating func recordEnvironment(_ transaction: Transaction) {
    extensions.record?.environmentChanged(
      to: QueryRecord.Base(isOnline: environment.isOnline, isActive: environment.isActive),
      at: transaction.nanoseconds
    )
  }

  /// Records a call for all entries that a filter selects.
  mutating func recordCall(
    _ call: QueryRecord.BulkCall,
    _ filter: EntryFilter,
    count: Int,
    hasPredicate: Bool,
    _ transaction: Transaction
  ) {
    // For one key, the event of its entry says it all; only a fetch does not say which call began it.
    if case .entry = filter, call != .refetch { return }
    var row = RecordRow(time: transaction.nanoseconds, code: .bulk)
    row.option = UInt8(call.rawValue)
    row.detail = UInt32(truncatingIfNeeded: count)
    extensions.record?.log(row, RecordRow.Extra(filter: filter, hasPredicate: hasPredicate))
  }

  /// Records that a trigger fired; the key is that of its query, if it has one.
  mutating func recordTrigger(_ name: String, of key: EntryKey?, _ transaction: Transaction) {
    extensions.record?.log(
      RecordRow(time: transaction.nanoseconds, code: .trigger),
      RecordRow.Extra(name: name, filter: key.map { .entry($0) })
    )
  }

  /// Records that a store could not keep or restore something.
  mutating func recordFailure(
    of key: AnyQueryKey,
    in store: String,
    _ error: any Error,
    _ transaction: Transaction
  ) {
    guard extensions.record != nil else { return }
    var row = RecordRow(time: transaction.nanoseconds, code: .persistenceFailed)
    let index = key.isEmpty ? nil : slots.keys.first(with: key.storage) { _ in true }
    if let index, let place = extensions.record?.place(of: Int(index)) {
      row.detail = extensions.record?.keys[place].number ?? 0
    }
    extensions.record?.log(row, RecordRow.Extra(error: error, name: store))
  }

  // MARK: Readers

  /// A transaction ends: a reader that waits is told, and what the record gave up is released.
  mutating func endRecordedTransaction(_ transaction: inout Transaction) {
    if extensions.record?.transactionEnded(&transaction.garbage) == true {
      actionQueue.enqueue(.recorded)
    }
  }

  /// The whole record; empty if none is kept.
  func wholeRecord() -> RecordExcerpt {
    let none = RecordRing(capacity: 0, maxBytes: nil, date: environment.now.date)
    let ring = extensions.record ?? none
    return ring.wholeExcerpt(lostCount: ring.first - 1)
  }

  /// The news for a reader of the record, and the next event calls it.
  ///
  /// - Parameter position: The reader's place, which moves on.
  /// - Returns: The news; `nil` if there are none. The first news is the whole record.
  mutating func takeRecord(since position: inout RecordExcerpt.Position) -> RecordExcerpt? {
    guard extensions.record != nil else {
      defer { position.event = 1 }
      return position.event == 0 ? wholeRecord() : nil
    }
    extensions.record?.isAwaited = true
    return extensions.record?.excerpt(since: &position)
  }

  /// The parts of recorded events that have an error.
  func recordedErrors() -> [RecordRow.Extra] {
    extensions.record?.extras(since: 0).filter { $0.error != nil } ?? []
  }

  /// Keeps texts in place of errors, by their number.
  mutating func replaceRecordedErrors(
    by texts: [UInt32: String],
    _ transaction: inout Transaction
  ) {
    let errors = extensions.record?.replaceErrors(by: texts) ?? []
    transaction.garbage.collect(value: errors)
  }

  /// Keeps no texts of values any more.
  mutating func forgetRecordedValues() {
    extensions.record?.values = RecordedTexts(maxBytes: nil)
  }

  /// The entry of a key of the record; `nil` if it is gone.
  func info(ofKey number: Int, _ transaction: Transaction) -> QueryInfo? {
    let index = extensions.record?.slot(ofKey: number)
    return index.flatMap { info($0, at: transaction.environment.now.instant) }
  }

  /// Keeps the text of a value, and calls a reader that waits.
  mutating func keepText(_ text: String, of event: UInt64) {
    guard let first = extensions.record?.first else { return }
    extensions.record?.values.keepText(text, of: event, first: first)
    guard extensions.record?.isAwaited == true else { return }
    extensions.record?.isAwaited = false
    actionQueue.enqueue(.recorded)
  }
}

/// The data of an entry after an event, to be written as a text.
struct RecordedValue: Sendable {
  let event: UInt64
  let key: AnyQueryKey
  let box: ValueBox
}

extension Transaction {
  /// The time of the transaction, in nanoseconds.
  @inline(__always)
  fileprivate var nanoseconds: Int64 { environment.now.instant.nanoseconds }
}

extension CacheState {
  /// Tells the record of a call on the entries that a filter selects.
  ///
  /// Without a record the plain part of the filter, which may take memory, is not made.
  mutating func announceCall(
    _ call: QueryRecord.BulkCall,
    of filter: @autoclosure () -> EntryFilter,
    hasPredicate: Bool,
    count: Int,
    _ transaction: inout Transaction
  ) {
    guard extensions.active.contains(.record) else { return }
    announce(.called(call, filter(), count: count, hasPredicate: hasPredicate), &transaction)
  }
}
