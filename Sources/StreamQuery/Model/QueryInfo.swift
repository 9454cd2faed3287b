#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the cache knows of one entry, without its value type.
///
/// Filters, dynamic options and ``QueryClient/diagnostics(_:)`` read it. It is a snapshot: it does
/// not change when the entry does.
public struct QueryInfo: Sendable, _FreeOfActors {
  /// The key, without its value type.
  public let key: AnyQueryKey
  /// The name of the value type, with its module.
  public var valueTypeName: String { entryKey.valueTypeName }
  /// How many observers the entry has, disabled ones included.
  public let observerCount: Int
  /// How many callers wait for the entry's fetch.
  public let waiterCount: Int
  /// Whether some enabled observer is there.
  public let isActive: Bool
  /// Whether all observers are disabled, or there is none and never was a result.
  public let isDisabled: Bool
  /// Whether some observer holds the data to be static.
  public let isStatic: Bool
  /// Stale for some observer; without observers, missing or invalidated.
  public let isStale: Bool
  /// Facts that the query carries: of several queries of one key, those of the one whose fetch is used.
  ///
  /// A function of a query's options that is asked as the query arrives finds the query's own.
  public internal(set) var meta: QueryMeta
  /// How old the data is; `nil` without data.
  public let age: Duration?

  let entryKey: EntryKey
  let frame: Frame

  /// Whether the entry was invalidated since its data came.
  public var isInvalidated: Bool { frame.isInvalidated }
  /// Whether there is data, an error, or nothing yet.
  public var status: QueryStatus { frame.status }
  /// What the fetch is doing.
  public var fetchStatus: FetchStatus { frame.fetchStatus }
  /// Why the running fetch, or else the last one, was started.
  public var cause: FetchCause? { frame.cause }
  /// How often data came.
  public var dataUpdateCount: Int { frame.dataUpdateCount }
  /// How often a fetch failed for good.
  public var errorUpdateCount: Int { frame.errorUpdateCount }
  /// Failed attempts of the running or last fetch.
  public var failureCount: Int { frame.failureCount }
  /// Why the last fetch failed.
  public var error: (any Error)? { frame.error?.error }
  /// The data, of whatever type.
  public var data: (any Sendable)? { frame.data?.erased }

  /// The data as what it is; as ``data``, with the layers of mutations over it.
  ///
  /// ```swift
  /// var options = ObserverOptions()
  /// options.enabled = .when { $0.value(as: User.self)?.name.isEmpty ?? true }
  /// ```
  ///
  /// - Parameter type: The value type of the query's key.
  /// - Returns: The data; `nil` without any, and if the key is of another type.
  public func value<Value: Sendable>(as type: Value.Type) -> Value? {
    guard entryKey.valueTypeID == ObjectIdentifier(type) else { return nil }
    return frame.data?.value(as: type)
  }

  /// When the data was fetched or written.
  public var dataUpdatedAt: Date? {
    frame.base == nil
      ? nil : Date(timeIntervalSinceReferenceDate: frame.dataUpdatedAt.date)
  }
}

extension QueryInfo: CustomStringConvertible {
  /// A line for a log: `["user", 42]: success, idle, 2 observers, 3.0 seconds old, stale, …`.
  public var description: String {
    var facts = ["\(status)", "\(fetchStatus)"]
    facts.append(observerCount == 1 ? "1 observer" : "\(observerCount) observers")
    if waiterCount > 0 { facts.append("\(waiterCount) waiting") }
    if let age { facts.append("\(age) old") }
    if isInvalidated { facts.append("invalidated") } else if isStale { facts.append("stale") }
    if failureCount > 0 { facts.append("failed \(failureCount) times") }
    if let cause { facts.append("fetched for \(cause.rawValue)") }
    return "\(key): " + facts.joined(separator: ", ")
  }
}
