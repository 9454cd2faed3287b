internal import StreamQuery

/// What a client knows of a store: what it keeps, when it is written, and who waits for that.
struct OpenStore {
  let settings: Persistence
  /// Its place among the stores, in the order of their first uses.
  let place: Int
  var records: SavedRecords
  /// Its own, so that no store waits for another.
  var plan: SavePlan
  /// The task that waits to write.
  var waiting: Task<Void, Never>?
  /// The number of that task.
  var waitingTask: UInt64 = 0
  /// The callers that wait for a round of writing.
  var saveWaits: [(round: UInt64, answer: PendingSave.Answer)] = []
  /// The callers of ``save()`` that wait until it is read, since nothing can be written before.
  var heldSaves: [PendingSave.Answer] = []
  /// Why what changed could not be written after the end.
  var lastError: QueryStoreError?
  /// The callers that wait until it is read.
  var waits: [SharedOneShot<Void>] = []
  /// The writes that wait until it is read, after the end.
  var lastWrites: [LastWrite] = []
  /// Whether queries go on although it has not been read.
  var isSlow = false
  /// Why it could not be read so far; it is tried again.
  var readError: QueryStoreError?
  private var readFailures = 0
  /// How often it may fail until it is given up, which takes three minutes.
  ///
  /// Otherwise changes would wait in memory for ever. A store that may not be read now, since the
  /// device is locked, is not given up.
  private static let mostReadFailures = 8
  /// Ends the wait before it is read again.
  var readPause: SharedOneShot<Void>?
  /// Whether it is read earlier than it would be, because somebody asked for that.
  private var isHurried = false
  /// Whether somebody asked for that while it was being read, which may have begun too early.
  private var isAskedMeanwhile = false

  /// - Parameters:
  ///   - settings: The policy that used it first.
  ///   - place: Its place among the stores.
  ///   - byteLimit: The ``QueryStore/byteLimit`` of the store, which is asked outside of locks.
  init(_ settings: Persistence, place: Int, byteLimit: Int = .max) {
    (self.settings, self.place) = (settings, place)
    var limit = settings.limit
    limit.maxBytes = min(limit.maxBytes, byteLimit)
    records = SavedRecords(limit: limit)
    plan = SavePlan(throttle: settings.throttle)
  }

  var isAwaited: Bool { records.isLoading && !isSlow }

  /// Whether it is tried again after it could not be read.
  var isFailing: Bool { records.isLoading && readError != nil }

  /// Why what changed cannot be written; `nil` if it can, or if nothing changed.
  var obstacle: QueryStoreError? {
    guard records.isLoading else { return records.obstacle }
    guard records.isBehind || !lastWrites.isEmpty else { return nil }
    return readError ?? .failed(SavedValueError.slowStore)
  }

  /// Why it cannot be used, or not yet.
  var failure: QueryStoreError? {
    if case .closed(let error) = records.phase { return error }
    return readError
  }
}

extension OpenStore {
  typealias Started = (task: UInt64, delay: Duration, former: Task<Void, Never>?)

  /// It could not be read: queries go on as they would without it.
  ///
  /// - Returns: How long to wait before it is read again: twice as long each time, up to a minute;
  ///   `nil` if it is given up. And whether somebody may have waited for it.
  mutating func readFailed(_ error: QueryStoreError) -> (pause: Duration?, wasAwaited: Bool) {
    let wasAwaited = isAwaited
    readError = error
    isSlow = true
    // Whoever asks often does not use up the tries.
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

  /// Somebody asks for it to be read again now.
  ///
  /// - Returns: What ends the wait until then; `nil` if it is not waited for.
  mutating func hurryToRead() -> SharedOneShot<Void>? {
    guard let pause = readPause.take() else {
      isAskedMeanwhile = records.isLoading
      return nil
    }
    isHurried = true
    return pause
  }

  /// It was read.
  mutating func read(
    _ contents: StoreContents,
    at date: Double
  ) -> [String] {
    readError = nil
    return records.loaded(contents, at: date, for: TimeSpan(settings.maxAge))
  }

  /// Tells the plan what happened.
  ///
  /// - Returns: The task to start, and the one whose place it takes.
  mutating func started(_ change: (inout Self) -> UInt64?) -> Started? {
    guard let task = change(&self) else { return nil }
    return (task, plan.delay, waiting.take())
  }

  /// Somebody waits for the changes so far to be written.
  ///
  /// - Returns: The number of the task to start.
  mutating func request(_ answer: PendingSave.Answer) -> UInt64? {
    heldSaves.append(answer)
    // Nothing can be written before it is read.
    return isAwaited && !plan.isEnded ? nil : requestHeldSaves()
  }

  /// Those who waited until the store is read wait for a round of writing.
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
  ///   - error: Why something could not be written.
  ///   - isLast: Whether the client is over.
  /// - Returns: What its task does next, its number, and whom to answer.
  mutating func wrote(
    _ error: QueryStoreError?,
    isLast: Bool
  ) -> (step: SavePlan.Step, task: UInt64, answered: [PendingSave.Answer]) {
    let round = plan.begun
    let answered = saveWaits.filter { $0.round <= round }.map(\.answer)
    saveWaits.removeAll { $0.round <= round }
    if isLast { lastError = error }
    // What arrived meanwhile did not fail.
    if records.canSettle { _ = plan.changed() }
    let (step, task) = plan.wrote(isDirty: records.hasFailed, isAwaited: !saveWaits.isEmpty)
    return (step, task, answered)
  }

  /// Takes whoever waits until it is read, or read again.
  mutating func takeWaits() -> [SharedOneShot<Void>] {
    defer { waits = [] }
    return waits + [readPause.take()].compactMap(\.self)
  }

  /// Lets go of all that is held; what is returned is released outside of locks.
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
