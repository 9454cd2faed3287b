public import Logging
import StreamQueryServer
public import StreamQueryShared

/// Writes the events between a client and the shared store to a log of swift-log.
///
/// ```swift
/// var configuration = SharedCacheConfiguration(namespace: "shop")
/// configuration.log(to: Logger(label: "shared cache"))
/// ```
///
/// A line has a message that is the same for all events of its kind. Its details are metadata: `key`, `age`
/// in seconds, `reason`, `count`, `error`. No value is ever written, but keys and errors are: if yours
/// contain secrets, replace ``describeKey`` and ``describeError``.
public struct SharedCacheLog: Sendable {
  /// The logger of the lines.
  public var logger: Logger
  /// Gives the level of an event, by default ``level(of:)``; `nil` omits the event.
  public var level: @Sendable (SharedCacheEvent) -> Logger.Level? = { Self.level(of: $0) }
  /// Makes the logged text of a key from the key's text; by default, both are the same.
  public var describeKey: @Sendable (String) -> String = { $0 }
  /// Makes the logged text of an error of the store or of another machine; by default, returns the text as it
  /// is.
  public var describeError: @Sendable (String) -> String = { $0 }

  /// Creates a log.
  ///
  /// - Parameter logger: The logger; each line has its metadata.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Writes an event.
  ///
  /// - Parameter event: The event.
  public func record(_ event: SharedCacheEvent) {
    guard let level = level(event), level >= logger.logLevel else { return }
    logger.log(
      level: level,
      Logger.Message(stringLiteral: event.message),
      metadata: metadata(of: event),
      source: "StreamQueryShared"
    )
  }

  /// The default level of an event.
  ///
  /// The level is `error` if the store does not answer: each machine asks upstream for itself, and does not
  /// see the changes of others. It is `warning` if shared data is not trusted any more, if an entry cannot be
  /// read, or if an answer is too large to be shared. It is `notice` if a fetch asks upstream for this
  /// machine alone while the store is there, if the store answers again, and if the log of changes is read.
  /// It is `debug` for the course of fetches.
  ///
  /// - Parameter event: The event.
  /// - Returns: Its level.
  public static func level(of event: SharedCacheEvent) -> Logger.Level {
    switch event {
    case .storeAway: .error
    case .gap, .untrusted, .unreadable: .warning
    case .storeBack, .followsLog, .releasedWhileAway: .notice
    case .alone(_, let reason): level(of: reason)
    case .hit, .leads, .follows, .committed, .outdated, .failedElsewhere, .invalidated: .debug
    }
  }

  private static func level(of reason: SharedCacheEvent.Reason) -> Logger.Level {
    switch reason {
    case .impatient, .unshareable, .outdated: .notice
    // This is a warning, because nothing else reports why each machine fetches such a query for
    // itself.
    case .tooLarge: .warning
    // These are details: the absence of the store is reported separately, and pages are never
    // shared.
    case .storeAway, .part: .debug
    }
  }

  private func metadata(of event: SharedCacheEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    switch event {
    case .hit(let key, let age):
      metadata["key"] = "\(describeKey(key))"
      metadata["age"] = "\(age.inSeconds)"
    case .alone(let key, let reason):
      metadata["key"] = "\(describeKey(key))"
      metadata["reason"] = "\(reason.rawValue)"
    case .outdated(let key, let again):
      metadata["key"] = "\(describeKey(key))"
      metadata["again"] = "\(again)"
    case .failedElsewhere(let key, let reason):
      metadata["key"] = "\(describeKey(key))"
      metadata["error"] = "\(describeError(reason))"
    case .leads(let key), .follows(let key), .committed(let key), .unreadable(let key):
      metadata["key"] = "\(describeKey(key))"
    case .invalidated(let count), .gap(let count), .untrusted(let count):
      metadata["count"] = "\(count)"
    case .storeAway(let error): metadata["error"] = "\(describeError("\(error)"))"
    case .storeBack, .followsLog, .releasedWhileAway: break
    }
    return metadata
  }
}

extension SharedCacheEvent {
  /// The message, which is the same for all events of a kind.
  fileprivate var message: String {
    switch self {
    case .hit: "fetch took the store's entry"
    case .leads: "fetch asks upstream for all machines"
    case .follows: "fetch waits for another machine"
    case .alone: "fetch asks upstream for this machine alone"
    case .committed: "answer stored for all machines"
    case .outdated: "answer was outdated when it came"
    case .unreadable: "entry of the store cannot be read"
    case .failedElsewhere: "fetch failed on another machine"
    case .followsLog: "log of changes is read"
    case .invalidated: "other machines changed data"
    case .gap: "messages of the log were lost, nothing shared is trusted"
    case .untrusted: "log was out of reach for too long, data is not trusted"
    case .storeAway: "store does not answer"
    case .storeBack: "store answers again"
    case .releasedWhileAway: "cache was released while its store did not answer"
    }
  }
}

extension SharedCacheConfiguration {
  /// Logs the events between the client and the store.
  ///
  /// - Parameter logger: The logger; ``SharedCacheLog`` describes the lines and their levels.
  public mutating func log(to logger: Logger) {
    log(with: SharedCacheLog(logger))
  }

  /// Logs the events between the client and the store.
  ///
  /// - Parameter log: The log.
  public mutating func log(with log: SharedCacheLog) {
    eventReceivers.append { log.record($0) }
  }
}
