public import Logging
import StreamQueryServer
public import StreamQueryShared

/// Writes what happens between a client and the store that machines share to a log of swift-log.
///
/// ```swift
/// var configuration = SharedCacheConfiguration(namespace: "shop")
/// configuration.log(to: Logger(label: "shared cache"))
/// ```
///
/// A line has a message that is the same for all events of its kind; what differs is metadata: `key`,
/// `age` in seconds, `reason`, `count`, `error`. No value is ever written. Keys and errors are: if
/// yours hold what must not be in a log, replace ``describeKey`` and ``describeError``.
public struct SharedCacheLog: Sendable {
  /// Where lines are written.
  public var logger: Logger
  /// The level of an event, ``level(of:)`` by default; `nil` leaves it out.
  public var level: @Sendable (SharedCacheEvent) -> Logger.Level? = { Self.level(of: $0) }
  /// How the text of a key is written: as it is, unless you say otherwise.
  public var describeKey: @Sendable (String) -> String = { $0 }
  /// How the text of an error is written, of the store's or of another machine's: as it is, unless you
  /// say otherwise.
  public var describeError: @Sendable (String) -> String = { $0 }

  /// Creates a log.
  ///
  /// - Parameter logger: Where lines are written; its metadata is in each.
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

  /// The level of an event, unless you say otherwise.
  ///
  /// A store that is away is an error: each machine asks upstream for itself, and a change on one is not
  /// seen by others. What ends the trust in all that is shared is a warning, and so is an entry that
  /// cannot be read. That a fetch asks alone although the store is there is a notice. How fetches go
  /// is `debug`.
  ///
  /// - Parameter event: The event.
  /// - Returns: Its level.
  public static func level(of event: SharedCacheEvent) -> Logger.Level {
    switch event {
    case .storeAway: .error
    case .gap, .untrusted, .unreadable: .warning
    case .storeBack, .followsLog: .notice
    case .alone(_, let reason): level(of: reason)
    case .hit, .leads, .follows, .committed, .outdated, .failedElsewhere, .invalidated: .debug
    }
  }

  private static func level(of reason: SharedCacheEvent.Reason) -> Logger.Level {
    switch reason {
    case .impatient, .unshareable, .outdated: .notice
    // Nothing else tells why such a query is fetched by each machine.
    case .tooLarge: .warning
    // The store's absence is told once, and a page is never shared.
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
    case .storeBack, .followsLog: break
    }
    return metadata
  }
}

extension SharedCacheEvent {
  /// What happened, the same for all events of the kind.
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
    }
  }
}

extension SharedCacheConfiguration {
  /// Logs what happens between the client and the store.
  ///
  /// - Parameter logger: Where lines are written; ``SharedCacheLog`` says which, at which level.
  public mutating func log(to logger: Logger) {
    log(with: SharedCacheLog(logger))
  }

  /// Logs what happens between the client and the store.
  ///
  /// - Parameter log: How lines are written.
  public mutating func log(with log: SharedCacheLog) {
    eventReceivers.append { log.record($0) }
  }
}
