internal import StreamQuery

/// The client's state of a store: its content, the plan for writing, and the callers that wait for
/// it.
struct OpenStore {
  let settings: Persistence
  /// Its place among the stores, in the order of their first uses.
  let place: Int
  var records: SavedRecords
  /// The plan of this store alone, so that no store waits for another.
  var plan: SavePlan
  /// The task that waits before it writes.
  var waiting: Task<Void, Never>?
  /// The number of that task.
  var waitingTask: UInt64 = 0
  /// The callers that wait for a round of writing.
  var saveWaits: [(round: UInt64, answer: PendingSave.Answer)] = []
  /// The callers of ``save()`` that wait until the store is read, since nothing can be written
  /// before.
  var heldSaves: [PendingSave.Answer] = []
  /// The error with which changes could not be written after the end.
  var lastError: QueryStoreError?
  /// The callers that wait until the store is read.
  var waits: [SharedOneShot<Void>] = []
  /// The writes that wait until the store is read, after the end.
  var lastWrites: [LastWrite] = []
  /// Whether queries go on although it has not been read.
  var isSlow = false
  /// The error of the last read; the store is read again.
  var readError: QueryStoreError?
  private var readFailures = 0
  /// The number of failures after which it is given up, which takes three minutes.
  ///
  /// Otherwise changes would wait in memory for ever. A store that may not be read now, since the
  /// device is locked, is not given up.
  private static let mostReadFailures = 8
  /// Ends the pause before it is read again.
  var readPause: SharedOneShot<Void>?
  /// Whether a read comes early, because a caller asked for it.
  private var isHurried = false
  /// Whether a caller asked for that during a read, which may have begun too early.
  private var isAskedMeanwhile = false

  /// - Parameters:
  ///   - settings: The policy that used the store first.
  ///   - place: Its place among the stores.
  ///   - byteLimit: The ``QueryStore/byteLimit`` of the store, which is read outside of locks.
  init(_ settings: Persistence, place: Int, byteLimit: Int = .max) {
    (self.settings, self.place) = (settings, place)
    var limit = settings.limit
    limit.maxBytes = min(limit.maxBytes, byteLimit)
    records = SavedRecords(limit: limit)
    plan = SavePlan(throttle: settings.throttle)
  }

  var isAwaited: Bool { records.isLoading && !isSlow }

  /// Whether it is read again after a failure.
  var isFailing: Bool { records.isLoading && readError != nil }

  /// The error with which changes cannot be written; `nil` if they can, or if there are none.
  var obstacle: QueryStoreError? {
    guard records.isLoading else { return records.obstacle }
    guard records.isBehind || !lastWrites.isEmpty else { return nil }
    return readError ?? .failed(SavedValueError.slowStore)
  }

  /// The error with which the store cannot be used, or not yet.
  var failure: QueryStoreError? {
    if case .closed(let error) = records.phase { return error }
    return readError
  }
}

extension OpenStore {
  typealias Started = (task: UInt64, delay: Duration, former: Task<Void, Never>?)

  /// A read failed: queries go on as they would without the store.
  ///
  /// - Returns: The pause before the next read: twice as long each time, up to a minute; `nil` if
  ///   the store is given up. And whether a caller may have waited for the read.
  mutating func readFailed(_ error: QueryStoreError) -> (pause: Duration?, wasAwaited: Bool) {
    let wasAwaited = isAwaited
    readError = error
    isSlow = true
    // Frequent requests do not use up the tries.
    if !isHurried { readFailures += 1 }
    isHurried = isAskedMeanwhile
    isAskedMeanwhile = false
    let isLocked = if case .denied = error { true } else { false }
    guard !error.isFinal, isLocked || readFailures < Self.mostReadFailures else {
      return (nil, wasAwaited)
    }
    if isHurried { return (.zero, wasAwaited) }
    return (min(.seconds(60), .seconds(1 << min(readFailures - 1, 6))), wasAwaited)
  }

  /// A caller asks for another read now.
  ///
  /// - Returns: The signal that ends the present pause; `nil` if there is none.
  mutating func hurryToRead() -> SharedOneShot<Void>? {
    guard let pause = readPause.take() else {
      isAskedMeanwhile = records.isLoading
      return nil
    }
    isHurried = true
    return pause
  }

  /// A read succeeded.
  mutating func read(
    _ contents: StoreContents,
    at date: Double
  ) -> [String] {
    readError = nil
    return records.loaded(contents, at: date, for: TimeSpan(settings.maxAge))
  }

  /// Reports an event to the plan.
  ///
  /// - Returns: The task to start, and the one that it replaces.
  mutating func started(_ change: (inout Self) -> UInt64?) -> Started? {
    guard let task = change(&self) else { return nil }
    return (task, plan.delay, waiting.take())
  }

  /// A caller waits until the changes so far are written.
  ///
  /// - Returns: The number of the task to start.
  mutating func request(_ answer: PendingSave.Answer) -> UInt64? {
    heldSaves.append(answer)
    // Nothing can be written before the store is read.
    return isAwaited && !plan.isEnded ? nil : requestHeldSaves()
  }

  /// The callers that waited until the store is read now wait for a round of writing.
  ///
  /// - Returns: The number of the task to start.
  mutating func requestHeldSaves() -> UInt64? {
    saveWaits += heldSaves.map { (plan.nextRound, $0) }
    heldSaves = []
    return plan.requested()
  }

  /// A round of writing is over.
  ///
  /// - Parameters:
  ///   - error: The error of the round, if any.
  ///   - isLast: Whether the client has ended.
  /// - Returns: The next step of the task, its number, and the callers to answer.
  mutating func wrote(
    _ error: QueryStoreError?,
    isLast: Bool
  ) -> (step: SavePlan.Step, task: UInt64, answered: [PendingSave.Answer]) {
    let round = plan.begun
    let answered = saveWaits.filter { $0.round <= round }.map(\.answer)
    saveWaits.removeAll { $0.round <= round }
    if isLast { lastError = error }
    // Changes that arrived meanwhile did not fail.
    if records.canSettle { _ = plan.changed() }
    let (step, task) = plan.wrote(isDirty: records.hasFailed, isAwaited: !saveWaits.isEmpty)
    return (step, task, answered)
  }

  /// Takes the callers that wait until the store is read, or read again.
  mutating func takeWaits() -> [SharedOneShot<Void>] {
    defer { waits = [] }
    return waits + [readPause.take()].compactMap(\.self)
  }

  /// Forgets the content; the returned objects are released outside of locks.
  mutating func erase() -> (
    waiting: Task<Void, Never>?, waits: [SharedOneShot<Void>], saves: [PendingSave.Answer],
    values: [Any]
  ) {
    defer { (saveWaits, heldSaves) = ([], []) }
    return (
      waiting.take(), takeWaits(), saveWaits.map(\.answer) + heldSaves,
      [records.close(.closed), lastWrites.takeAll()]
    )
  }
}
