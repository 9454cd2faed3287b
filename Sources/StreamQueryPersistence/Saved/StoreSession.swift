internal import StreamQuery

/// A client's use of one store: the records, the plan for writing, and the callers that wait for the store.
///
/// | input \ reading | being read | being read, asked again | pausing |
/// |---|---|---|---|
/// | `readFailed`, for the last time | given up | given up | |
/// | `readFailed` | pausing | being read, at once | |
/// | `requestRetry` | asked again | – | being read, at once |
/// | `pauseEnded` | – | – | being read |
///
/// - Reads that a caller asked for do not count towards the limit of failures.
/// - The store is never given up while reads fail with ``QueryStoreError/denied``, as on a locked device.
struct StoreSession: WrittenPart {
  /// The progress of the first successful read.
  enum Reading: Sendable {
    /// The store is being read.
    ///
    /// - isEarly: Whether a caller asked for this read, so that it began before the pause had ended.
    /// - isAskedAgain: Whether a caller has asked for another read, because this one may have begun too
    ///   early.
    case underWay(isEarly: Bool, isAskedAgain: Bool)
    /// The last read failed; the signal ends the pause before the next read.
    case pausing(SharedOneShot<Void>)
  }

  let settings: Persistence
  /// The place of this store among the client's stores, in the order of their first uses.
  let rank: Int
  var records: SavedRecords
  /// The writer for this store alone, so that no store waits for another.
  ///
  /// Callers of `save()` are on hold until the store is read, because nothing can be written before.
  var writer: StoreWriter
  var task = StoreWorkerTask()
  /// The callers that wait until the store is read.
  var waits: [SharedOneShot<Void>] = []
  /// The manual writes of an ended client that wait until the store is read.
  var lastWrites: [LastWrite] = []
  /// Whether the client has manual writes that wait until the store is read.
  var hasWaitingWrites = false
  /// Whether queries go on without the store, because reading it takes too long or has failed.
  var isSlow = false
  /// The error of the last read; `nil` if the store was read.
  var readError: QueryStoreError?
  private var readFailures = 0
  /// The number of failed reads after which the store is given up; with the pauses between them, these take
  /// two minutes.
  ///
  /// Without this limit, changes would wait in memory for ever.
  private static let mostReadFailures = 8
  private var reading = Reading.underWay(isEarly: false, isAskedAgain: false)

  /// - Parameters:
  ///   - settings: The first policy that used the store.
  ///   - rank: The place of this store among the client's stores.
  ///   - byteLimit: The ``QueryStore/byteLimit`` of the store, which the caller reads outside of locks.
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

  /// Whether the store was closed after an error, so that the client does not use it again.
  var isGivenUp: Bool { if case .closed = records.phase { true } else { false } }

  /// Whether the last read failed, and the store is to be read again.
  var isFailing: Bool { records.isLoading && readError != nil }

  /// The error that keeps changes from being written; `nil` if they can be written, or if there are none.
  var obstacle: QueryStoreError? {
    guard records.isLoading else { return records.obstacle }
    guard records.isBehind || hasWaitingWrites || !lastWrites.isEmpty else { return nil }
    return readError ?? .failed(SavedValueError.slowStore)
  }

  /// The error that keeps the store from being used, because it was closed, could not be read, or takes too
  /// long.
  var failure: QueryStoreError? {
    if case .closed(let error) = records.phase { return error }
    if let readError { return readError }
    // A read that takes too long counts as a failure, because queries go on without the records.
    return records.isLoading && isSlow ? .failed(SavedValueError.slowStore) : nil
  }
}

extension StoreSession {
  /// Notes that a read failed; queries go on as they would without the store.
  ///
  /// - Returns: The pause before the next read, which doubles each time up to a minute, or `nil` if the store
  ///   is given up; and whether queries were waiting for the store until now.
  mutating func readFailed(_ error: QueryStoreError) -> (pause: Duration?, wasAwaited: Bool) {
    let wasAwaited = isAwaited
    (readError, isSlow) = (error, true)
    guard case .underWay(let isEarly, let isAskedAgain) = reading else { return (nil, wasAwaited) }
    // Reads that callers ask for do not count, because callers may ask often.
    if !isEarly { readFailures += 1 }
    reading = .underWay(isEarly: isAskedAgain, isAskedAgain: false)
    let isLocked = if case .denied = error { true } else { false }
    guard !error.isFinal, isLocked || readFailures < Self.mostReadFailures else {
      return (nil, wasAwaited)
    }
    if isAskedAgain { return (.zero, wasAwaited) }
    return (min(.seconds(60), .seconds(1 << min(readFailures - 1, 6))), wasAwaited)
  }

  /// Notes that the next read waits until a pause ends.
  mutating func pauses(until end: SharedOneShot<Void>) { reading = .pausing(end) }

  /// Notes that the next read begins.
  ///
  /// - Parameter isEarly: Whether a caller asked for the read.
  /// - Returns: The signal that ends the present pause; `nil` if there is no pause.
  mutating func pauseEnded(isEarly: Bool = false) -> SharedOneShot<Void>? {
    guard case .pausing(let end) = reading else { return nil }
    reading = .underWay(isEarly: isEarly, isAskedAgain: false)
    return end
  }

  /// Notes that a caller asks for another read now.
  ///
  /// - Returns: The signal that ends the present pause; `nil` if there is no pause.
  mutating func requestRetry() -> SharedOneShot<Void>? {
    if case .underWay(let isEarly, _) = reading {
      reading = .underWay(isEarly: isEarly, isAskedAgain: true)
    }
    return pauseEnded(isEarly: true)
  }

  /// Takes over the content of a successful read; returns the keys of unreadable records.
  mutating func read(
    _ contents: StoreContents,
    at date: Double
  ) -> [String] {
    readError = nil
    return records.loaded(contents, at: date, for: TimeSpan(settings.maxAge))
  }

  mutating func changed<Result>(_ body: (inout Self) -> Result) -> Result { body(&self) }

  /// Notes that a caller of `save()` waits until the changes so far are written.
  ///
  /// - Returns: The number of the task to start, if there is one.
  mutating func request(_ answer: StoreWriter.Answer) -> UInt64? {
    writer.hold(answer)
    // Before the store is read, nothing can be written, so the caller stays on hold.
    return isAwaited && !writer.stage.hasEnded ? nil : writer.released()
  }

  /// Takes the signals of the callers that wait until the store is read, and the signal that ends a pause.
  mutating func takeWaits() -> [SharedOneShot<Void>] {
    defer { waits = [] }
    return waits + [pauseEnded()].compactMap(\.self)
  }

  /// Drops all data and ends all waits; the caller releases the returned objects outside of locks.
  mutating func erase() -> (
    task: Task<Void, Never>?, waits: [SharedOneShot<Void>], saves: [StoreWriter.Answer],
    values: [Any]
  ) {
    let saves = writer.clientEnded(isErased: true).answers
    return (task.task, takeWaits(), saves, [records.close(.closed), lastWrites.takeAll()])
  }
}
