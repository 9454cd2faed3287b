public import Logging
@_spi(Adapters) public import StreamQuery

/// Writes the events of a cache to a log of swift-log.
///
/// ```swift
/// var configuration = QueryClient.Configuration.server
/// configuration.log(to: Logger(label: "cache"))
/// let client = QueryClient(configuration: configuration)
/// ```
///
/// A line has a message that is the same for all events of its kind. Its details are metadata: the key, the
/// fetch, its cause, its duration in seconds, the attempt, the error, the type of a store that failed. No
/// value of the cache is ever written, but the descriptions of keys and errors are: if yours contain secrets,
/// replace ``describeKey`` and ``describeError``.
///
/// A line that the logger would not write costs one comparison.
public struct QueryLog: Sendable {
  /// The logger of the lines.
  public var logger: Logger
  /// Gives the level of an event, by default ``level(of:)``; `nil` omits the event.
  public var level: @Sendable (QueryEvent) -> Logger.Level? = { Self.level(of: $0) } {
    didSet { replacesLevel = true }
  }
  private var replacesLevel = false
  /// The value that the user has set for `logsLookups`; `nil` if none was set.
  private var saidLookups: Bool?
  /// Whether lookups are written, at the level that ``level`` gives.
  ///
  /// With `true`, each lookup takes the cache's lock, even in a client that otherwise reads without the lock
  /// (`.server`). By default the value is `true` if the logger writes `trace`, and if ``level`` is replaced.
  ///
  /// The value is read when the log is attached to a configuration; later changes have no effect. If the
  /// logger's level may become `trace` while the program runs, and lookups are to be written from then on,
  /// set this to `true`.
  public var logsLookups: Bool {
    get { saidLookups ?? (replacesLevel || logger.logLevel <= .trace) }
    set { saidLookups = newValue }
  }
  /// Makes the text of a key; by default, its description.
  public var describeKey: @Sendable (AnyQueryKey) -> String = { $0.description }
  /// Makes the text of an error; by default, its description.
  public var describeError: @Sendable (any Error) -> String = { "\($0)" }

  /// Creates a log.
  ///
  /// - Parameter logger: The logger; each line has its metadata.
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

  /// The default level of an event.
  ///
  /// The level is `error` if data could not be saved or restored. It is `warning` if a fetch or a mutation
  /// failed for good, because a failed refetch in the background may not be visible, if a callback failed,
  /// and if events were missed. It is `notice` if an attempt will be retried, or if a caller got stale data
  /// instead of an error or a wait. It is `debug` for the course of fetches and mutations, and `trace` for
  /// lookups, writes, and entries and observers that come and go.
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
    if let store = event.storeTypeName { metadata["store"] = "\(store)" }
    if event.isNotModified { metadata["not-modified"] = "true" }
    return metadata
  }
}

extension QueryClient.Configuration {
  /// Logs the events of the cache.
  ///
  /// - Parameter logger: The logger; ``QueryLog`` describes the lines and their levels.
  public mutating func log(to logger: Logger) {
    log(with: QueryLog(logger))
  }

  /// Logs the events of the cache.
  ///
  /// - Parameter log: The log.
  public mutating func log(with log: QueryLog) {
    eventReceivers.append(
      log.logsLookups ? EventReceiver { log.record($0) } : .withoutLookups { log.record($0) }
    )
  }
}
