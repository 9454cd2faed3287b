public import Logging
public import StreamQuery

/// Writes what happens in a cache to a log of swift-log.
///
/// ```swift
/// var configuration = QueryClient.Configuration.server
/// configuration.log(to: Logger(label: "cache"))
/// let client = QueryClient(configuration: configuration)
/// ```
///
/// A line has a message that is the same for all events of its kind; what differs is metadata: the
/// key, the fetch, its cause, its duration in seconds, the attempt, the error. No value of the cache
/// is ever written. Keys and errors are, as they describe themselves: if yours hold what must not
/// be in a log, replace ``describeKey`` and ``describeError``.
///
/// A line that the logger would not write costs one comparison.
public struct QueryLog: Sendable {
  /// Where lines are written.
  public var logger: Logger
  /// The level of an event, ``level(of:)`` by default; `nil` leaves it out.
  public var level: @Sendable (QueryEvent) -> Logger.Level? = { Self.level(of: $0) } {
    didSet { replacesLevel = true }
  }
  private var replacesLevel = false
  /// What the user says about lookups.
  private var saidLookups: Bool?
  /// Whether lookups are written, if their ``level`` says so.
  ///
  /// With `true`, each lookup takes the cache's lock, also on a client whose reads pass it otherwise
  /// (`.server`). Unless you set it, it is whether the logger writes `trace`, and `true` once ``level`` is
  /// replaced.
  ///
  /// It counts when the log is attached to a configuration: if the logger's level may come down to
  /// `trace` while the program runs, and lookups are to be written from then on, set it to `true`.
  public var logsLookups: Bool {
    get { saidLookups ?? (replacesLevel || logger.logLevel <= .trace) }
    set { saidLookups = newValue }
  }
  /// How keys are written: their description, unless you say otherwise.
  public var describeKey: @Sendable (AnyQueryKey) -> String = { $0.description }
  /// How errors are written: their description, unless you say otherwise.
  public var describeError: @Sendable (any Error) -> String = { "\($0)" }

  /// Creates a log.
  ///
  /// - Parameter logger: Where lines are written; its metadata is in each.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Writes an event.
  ///
  /// - Parameter event: The event.
  public func record(_ event: QueryEvent) {
    guard let level = level(event), level >= logger.logLevel else { return }
    logger.log(
      level: level,
      Logger.Message(stringLiteral: event.kind.message),
      metadata: metadata(of: event),
      source: "StreamQuery"
    )
  }

  /// The level of an event, unless you say otherwise.
  ///
  /// Nobody may see the failure of a refetch in the background, so a fetch or a mutation that
  /// failed for good is a warning. Data that could not be kept or restored is an error. An attempt
  /// that will be retried is a notice. How fetches and mutations go is `debug`, and what happens
  /// at each lookup is `trace`.
  ///
  /// - Parameter event: The event.
  /// - Returns: Its level.
  public static func level(of event: QueryEvent) -> Logger.Level {
    switch event.kind {
    case .persistenceFailed: .error
    case .fetchFailed, .eventsDropped: .warning
    case .attemptFailed, .servedStale: .notice
    case .fetchStarted, .fetchPaused, .fetchResumed, .fetchSucceeded, .fetchCancelled,
      .invalidated, .reset:
      .debug
    case .added, .removed, .observed, .unobserved, .observerResultsUpdated,
      .observerOptionsUpdated, .written, .lookup:
      .trace
    case .mutation(let step): level(of: step)
    }
  }

  private static func level(of step: QueryEvent.MutationStep) -> Logger.Level {
    switch step {
    case .failed, .callbackFailed, .stopped: .warning
    case .attemptFailed: .notice
    case .started, .paused, .resumed, .performing, .succeeded, .cancelled: .debug
    }
  }

  private func metadata(of event: QueryEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["event": "\(event.number)"]
    if case .eventsDropped = event.kind {} else { metadata["key"] = "\(describeKey(event.key))" }
    if let fetch = event.fetch { metadata["fetch"] = "\(fetch)" }
    if let cause = event.cause { metadata["cause"] = "\(cause.rawValue)" }
    if let duration = event.duration { metadata["duration"] = "\(duration.inSeconds)" }
    for (name, value) in event.kind.details(describeError) { metadata[name] = "\(value)" }
    if event.isNotModified { metadata["not-modified"] = "true" }
    return metadata
  }
}

extension QueryClient.Configuration {
  /// Logs what happens in the cache.
  ///
  /// - Parameter logger: Where lines are written; ``QueryLog`` says which, at which level.
  public mutating func log(to logger: Logger) {
    log(with: QueryLog(logger))
  }

  /// Logs what happens in the cache.
  ///
  /// - Parameter log: How lines are written.
  public mutating func log(with log: QueryLog) {
    eventReceivers.append(
      log.logsLookups ? EventReceiver { log.record($0) } : .withoutLookups { log.record($0) }
    )
  }
}
