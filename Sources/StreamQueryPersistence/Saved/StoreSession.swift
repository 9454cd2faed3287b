internal import StreamQuery

/// The client's state of a store: its content, the plan for writing, and the callers that wait for
/// it.
///
/// | input \ reading | is read | is read, asked again | pauses |
/// |---|---|---|---|
/// | `readFailed`, for the last time | given up | given up | |
/// | `readFailed` | pauses | is read at once | |
/// | `requestRetry` | asked again | – | is read at once |
/// | `pauseEnded` | – | – | is read |
///
/// - The tries do not include reads that a caller asked for.
/// - A store that may not be read while the device is locked is not given up.
struct StoreSession: WrittenPart {
  /// The state of the first read.
  enum Reading: Sendable {
    /// - isEarly: Whether the read comes early, because a caller asked for it.
    /// - isAskedAgain: Whether a caller asked for another one during this read, which may have begun too early.
    case underWay(isEarly: Bool, isAskedAgain: Bool)
    /// The last read failed; the signal ends the pause before the next one.
    case pausing(SharedOneShot<Void>)
  }

  let settings: Persistence
  /// Its place among the stores, in the order of their first uses.
  let rank: Int
  var records: SavedRecords
  /// The writer of this store alone, so that no store waits for another.
  ///
  /// The callers of `save()` are on hold until the store is read, since nothing can be written before.
  var writer: StoreWriter
  var task = StoreWorkerTask()
  /// The callers that wait until the store is read.
  var waits: [SharedOneShot<Void>] = []
  /// The writes of a client that has ended, which wait until the store is read.
  var lastWrites: [LastWrite] = []
  /// Whether queries go on although the store has not been read.
  var isSlow = false
  /// The error of the last read, until the store is read or given up.
  var readError: QueryStoreError?
  private var readFailures = 0
  /// The number of failures after which it is given up, which takes two minutes.
  ///
  /// Otherwise changes would wait in memory for ever.
  private static let mostReadFailures = 8
  private var reading = Reading.underWay(isEarly: false, isAskedAgain: false)

  /// - Parameters:
  ///   - settings: The policy that used the store first.
  ///   - rank: Its place among the stores.
  ///   - byteLimit: The ``QueryStore/byteLimit`` of the store, which is read outside of locks.
  init(_ settings: Persistence, rank: Int, byteLimit: Int = .max) {
    (self.settings, self.rank) = (settings, rank)
    var limit = settings.limit
    limit.maxBytes = min(limit.maxBytes, byteLimit)
    records = SavedRecords(limit: limit)
    writer = StoreWriter(throttle: settings.throttle)
  }

  var isAwaited: Bool { records.isLoading && !isSlow }

  var hasFailed: Bool { records.hasFailed }

  var hasMore: Bool { records.canSettle }

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

extension StoreSession {
  /// A read failed: queries go on as they would without the store.
  ///
  /// - Returns: The pause before the next read: twice as long each time, up to a minute; `nil` if
  ///   the store is given up. And whether a caller may have waited for the read.
  mutating func readFailed(_ error: QueryStoreError) -> (pause: Duration?, wasAwaited: Bool) {
    let wasAwaited = isAwaited
    (readError, isSlow) = (error, true)
    guard case .underWay(let isEarly, let isAskedAgain) = reading else { return (nil, wasAwaited) }
    // Reads that callers ask for often do not count, so that they do not use up the tries.
    if !isEarly { readFailures += 1 }
    reading = .underWay(isEarly: isAskedAgain, isAskedAgain: false)
    let isLocked = if case .denied = error { true } else { false }
    guard !error.isFinal, isLocked || readFailures < Self.mostReadFailures else {
      return (nil, wasAwaited)
    }
    if isAskedAgain { return (.zero, wasAwaited) }
    return (min(.seconds(60), .seconds(1 << min(readFailures - 1, 6))), wasAwaited)
  }

  /// The next read waits until a pause ends.
  mutating func pauses(until end: SharedOneShot<Void>) { reading = .pausing(end) }

  /// The next read begins.
  ///
  /// - Parameter isEarly: Whether a caller asked for it.
  /// - Returns: The signal that ends the present pause; `nil` if there is none.
  mutating func pauseEnded(isEarly: Bool = false) -> SharedOneShot<Void>? {
    guard case .pausing(let end) = reading else { return nil }
    reading = .underWay(isEarly: isEarly, isAskedAgain: false)
    return end
  }

  /// A caller asks for another read now.
  ///
  /// - Returns: The signal that ends the present pause; `nil` if there is none.
  mutating func requestRetry() -> SharedOneShot<Void>? {
    if case .underWay(let isEarly, _) = reading {
      reading = .underWay(isEarly: isEarly, isAskedAgain: true)
    }
    return pauseEnded(isEarly: true)
  }

  /// A read succeeded.
  mutating func read(
    _ contents: StoreContents,
    at date: Double
  ) -> [String] {
    readError = nil
    return records.loaded(contents, at: date, for: TimeSpan(settings.maxAge))
  }

  mutating func changed<Result>(_ body: (inout Self) -> Result) -> Result { body(&self) }

  /// A caller waits for the changes so far to be written.
  ///
  /// - Returns: The number of the task to start.
  mutating func request(_ answer: StoreWriter.Answer) -> UInt64? {
    writer.hold(answer)
    // Nothing can be written before the store is read.
    return isAwaited && !writer.stage.hasEnded ? nil : writer.released()
  }

  /// Takes the callers that wait until the store is read, or read again.
  mutating func takeWaits() -> [SharedOneShot<Void>] {
    defer { waits = [] }
    return waits + [pauseEnded()].compactMap(\.self)
  }

  /// Forgets the content; the returned objects are released outside of locks.
  mutating func erase() -> (
    task: Task<Void, Never>?, waits: [SharedOneShot<Void>], saves: [StoreWriter.Answer],
    values: [Any]
  ) {
    let saves = writer.clientEnded(isErased: true).answers
    return (task.task, takeWaits(), saves, [records.close(.closed), lastWrites.takeAll()])
  }
}
