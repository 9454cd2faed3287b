// How the cache keeps a record of its newest events, a ``RecordRing``.

extension CacheState {
  private var keepsRecord: Bool { extensions.active.contains(.record) }

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

  /// Records an event of an entry.
  ///
  /// An event of a frequent kind is only begun here, in a few instructions. The call of
  /// ``recordState(of:at:)`` that follows completes the event.
  @inline(__always)
  mutating func recordEvent(
    _ kind: QueryEvent.Kind,
    _ index: Int,
    _ transaction: Transaction,
    _ job: FetchJob?,
    isNotModified: Bool,
    isKeptEmpty: Bool
  ) {
    let (now, fetch) = (transaction.nanoseconds, job?.id.rawValue ?? 0)
    switch kind {
    case .written:
      extensions.record.began(.written, of: index, at: now)
      recordValue(of: index)
    case .observed: extensions.record.began(.observed, of: index, at: now)
    case .unobserved: extensions.record.began(.unobserved, of: index, at: now)
    case .fetchStarted:
      extensions.record.began(.fetchStarted, of: index, detail: fetch, at: now)
    case .fetchSucceeded:
      let option: UInt8 = isNotModified ? 1 : 0
      extensions.record.began(.fetchSucceeded, of: index, detail: fetch, option: option, at: now)
      if !isNotModified { recordValue(of: index) }
    case .invalidated: extensions.record.began(.invalidated, of: index, at: now)
    case .observerResultsUpdated, .observerOptionsUpdated, .lookup, .mutation, .persistenceFailed,
      .eventsDropped:
      break
    case .added: recordAddition(of: index, at: now)
    case .removed, .attemptFailed, .fetchPaused, .fetchResumed, .fetchFailed,
      .fetchCancelled, .servedStale, .reset:
      recordRareEvent(kind, index, fetch, isKeptEmpty: isKeptEmpty, at: now)
    }
  }

  @inline(never)
  private mutating func recordRareEvent(
    _ kind: QueryEvent.Kind,
    _ index: Int,
    _ fetch: UInt32,
    isKeptEmpty: Bool,
    at now: Int64
  ) {
    if case .removed(let reason) = kind, !isKeptEmpty {
      // Events before the removal, such as the end of a layer, must show the state before the removal.
      if extensions.record.awaitsState(of: index) { recordState(of: index, at: now) }
      extensions.record.removed(index, reason, at: now)
      return
    }
    guard let place = extensions.record.place(of: index) else { return }
    var row = RecordRow(time: now, subject: UInt32(truncatingIfNeeded: place), code: .removed)
    row.detail = fetch
    var extra: RecordRow.Extra?
    switch kind {
    case .removed(let reason):
      row.option = reason.recordedCode
      extensions.record.logFinished(row)
      return
    case .fetchPaused: row.code = .fetchPaused
    case .fetchResumed: row.code = .fetchResumed
    case .fetchCancelled: row.code = .fetchCancelled
    case .fetchFailed(let error):
      (row.code, extra) = (.fetchFailed, RecordRow.Extra(error: error))
    case .attemptFailed(let error, _, let wait):
      row.code = .attemptFailed
      extra = RecordRow.Extra(error: error, wait: TimeSpan(wait).nanoseconds)
    case .servedStale(let count):
      (row.code, row.detail) = (.servedStale, UInt32(truncatingIfNeeded: count))
    case .reset: row.code = .reset
    default: return
    }
    extensions.record.logUnfinished(row, extra)
  }

  /// Records that an entry was made.
  @inline(never)
  private mutating func recordAddition(of index: Int, at now: Int64) {
    guard let key = slots[index].key else { return }
    let (state, terms) = (recordedState(of: index), slots[index].query?.terms)
    extensions.record.added(index, key, state, terms, at: now)
  }

  /// Records that an entry adopted another query.
  @inline(never)
  mutating func recordAdoption(of index: Int, at now: Int64) {
    // The first query is recorded together with the entry.
    guard extensions.record.place(of: index) != nil, let terms = slots[index].query?.terms
    else { return }
    extensions.record.adopted(index, terms, at: now)
  }

  /// Records the state of an entry after a change, and completes the events before it.
  @inline(never)
  mutating func recordState(of index: Int, at now: Int64) {
    let state = recordedState(of: index)
    extensions.record.reached(state, index, at: now)
  }

  /// The state of an entry for the record; the record itself adds the number of the entry's options.
  @inline(__always)
  private func recordedState(of index: Int) -> RecordedState {
    var state = slots[index].machine.recordedState
    if slots[index].isLayered { state.bits |= RecordedState.Bit.layered }
    if state.bits & RecordedState.Bit.data == 0, slots[index].query?.placeholder != nil {
      state.bits |= RecordedState.Bit.placeholder
    }
    return state
  }

  /// Records that a run added layers to an entry, or removed them.
  mutating func recordLayers(
    _ code: RecordCode,
    _ index: Int,
    of run: MutationID,
    _ transaction: Transaction
  ) {
    guard let place = extensions.record.place(of: index) else { return }
    let number = extensions.record.number(ofRun: run.serial)
    extensions.record.logLayer(code, place, of: number, at: transaction.nanoseconds)
  }

  /// Records that entries moved to other slots, and that all others are gone.
  mutating func recordRemoval(of kept: [Int32]) {
    if keepsRecord { extensions.record.moved(kept, at: environment.now.instant.nanoseconds) }
  }

  /// Requests the text of an entry's data, for the event that is being recorded.
  @inline(__always)
  private mutating func recordValue(of index: Int) {
    if extensions.record.values.isOn { askForText(of: index) }
  }

  @inline(never)
  private mutating func askForText(of index: Int) {
    guard let key = slots[index].key, let box = slots[index].data else { return }
    let event = extensions.record.next
    actionQueue.enqueue(.recordValue(RecordedValue(event: event, key: key.key, box: box)))
  }

  // MARK: Runs

  /// Records a step of a run, if a record is kept.
  mutating func recordStep(
    _ step: QueryEvent.MutationStep,
    _ job: MutationJob,
    _ transaction: Transaction
  ) {
    guard keepsRecord else { return }
    let serial = job.id.serial
    if case .started = step {
      let run = RecordRing.Run(
        serial: serial,
        key: job.key,
        scope: job.scope,
        startedAt: job.submittedAt.instant.nanoseconds
      )
      _ = extensions.record.runStarted(run)
    }
    let number = extensions.record.number(ofRun: serial)
    guard number != 0 else { return }
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
    extensions.record.log(row, extra)
  }

  // MARK: The client

  /// Records the state of the network and the app.
  mutating func recordEnvironment(_ transaction: Transaction) {
    extensions.record.environmentChanged(
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
    // A call for one key needs no event of its own: the event of the entry, such as `invalidated`, names the
    // call. Only a refetch has no such event.
    if case .entry = filter, call != .refetch { return }
    var row = RecordRow(time: transaction.nanoseconds, code: .bulk)
    row.option = UInt8(call.rawValue)
    row.detail = UInt32(truncatingIfNeeded: count)
    extensions.record.log(row, RecordRow.Extra(filter: filter, hasPredicate: hasPredicate))
  }

  /// Records that a trigger fired; for a query's own trigger, `key` is the key of that query.
  mutating func recordTrigger(_ name: String, of key: EntryKey?, _ transaction: Transaction) {
    extensions.record.log(
      RecordRow(time: transaction.nanoseconds, code: .trigger),
      RecordRow.Extra(name: name, filter: key.map { .entry($0) })
    )
  }

  /// Records that a store could not keep or restore something.
  mutating func recordFailure(
    of key: EntryKey?,
    in store: String,
    _ error: any Error,
    _ transaction: Transaction
  ) {
    guard keepsRecord else { return }
    var row = RecordRow(time: transaction.nanoseconds, code: .persistenceFailed)
    if let key, let index = find(key), let place = extensions.record.place(of: index) {
      row.detail = extensions.record.keys[place].number
    }
    extensions.record.log(row, RecordRow.Extra(error: error, name: store))
  }

  // MARK: Readers

  /// Tells a waiting reader of new events at the end of a transaction, and releases events that the
  /// record dropped.
  @inline(__always)
  mutating func endRecordedTransaction(_ transaction: inout Transaction) {
    if extensions.record.hasNews { endRecordedEvents(&transaction) }
  }

  @inline(never)
  private mutating func endRecordedEvents(_ transaction: inout Transaction) {
    let now = transaction.nanoseconds
    if extensions.record.transactionEnded(&transaction.garbage, at: now) {
      actionQueue.enqueue(.recorded)
    }
  }

  /// The whole record; empty if none is kept.
  func wholeRecord() -> RecordExcerpt {
    let none = RecordRing(date: environment.now.date)
    let ring = keepsRecord ? extensions.record : none
    return ring.wholeExcerpt(lostCount: ring.first - 1)
  }

  /// Takes the news for a reader of the record; the next event wakes the reader.
  ///
  /// - Parameter position: How far the reader has read; moves behind the newest event.
  /// - Returns: The news; `nil` if there are none. The first news is the whole record.
  mutating func takeRecord(since position: inout RecordExcerpt.Position) -> RecordExcerpt? {
    guard keepsRecord else {
      defer { position.event = 1 }
      return position.event == 0 ? wholeRecord() : nil
    }
    extensions.record.duties.insert(.reader)
    return extensions.record.excerpt(since: &position)
  }

  /// The parts of recorded events that have an error.
  func recordedErrors() -> [RecordRow.Extra] {
    extensions.record.extras(since: 0).filter { $0.error != nil }
  }

  /// Replaces recorded errors by texts; the keys are the numbers of the errors.
  mutating func replaceRecordedErrors(
    by texts: [UInt32: String],
    _ transaction: inout Transaction
  ) {
    transaction.garbage.collect(value: extensions.record.replaceErrors(by: texts))
  }

  /// Keeps no texts of values any more.
  mutating func forgetRecordedValues() {
    extensions.record.values = RecordedTexts(maxBytes: nil)
  }

  /// The info of the entry whose key has this number in the record; `nil` if the entry is gone.
  func info(ofKey number: Int, _ transaction: Transaction) -> QueryInfo? {
    let index = extensions.record.slot(ofKey: number)
    return index.flatMap { info($0, at: transaction.environment.now.instant) }
  }

  /// Keeps the text of the value that an event recorded, and wakes a reader that waits.
  mutating func keepText(_ text: String, of event: UInt64) {
    guard keepsRecord else { return }
    extensions.record.values.keepText(text, of: event, first: extensions.record.first)
    guard extensions.record.duties.remove(.reader) != nil else { return }
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
  var nanoseconds: Int64 { environment.now.instant.nanoseconds }
}

extension CacheState {
  /// Tells the record of a call on the entries that a filter selects.
  ///
  /// Making the filter may allocate memory, so the filter is made only if there is a record.
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
